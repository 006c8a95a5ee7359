/** What `work` rejects with. */
export async function failure(work: Promise<unknown>): Promise<Error & { status?: number }> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error('did not fail');
}
