import type { Inspection, InspectOptions } from '../../cmd/docbuilder/source/inspect/inspect.ts';
import { inspect } from '../../cmd/docbuilder/source/inspect/inspect.ts';
import { AppError } from '../../src/common/errors.ts';

/** Returns what is found, or the code and detail of the error. */
export async function verdict(
  path: string,
  filename?: string,
  options: Partial<InspectOptions> = {},
): Promise<Inspection | { code: string; detail: object }> {
  try {
    return await inspect(path, { hasPassword: false, ...(filename !== undefined && { filename }), ...options });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, detail: error.detail };
  }
}

export const corrupt = (reason: string) => ({ code: 'corrupt_source', detail: { reason } });
export const unsupported = (from: string, reason?: string) => ({
  code: 'unsupported_format',
  detail: { from, ...(reason && { reason }) },
});
