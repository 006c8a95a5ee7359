import type { Blobs, Incoming, Rows, StoredBlob } from './ports.ts';

export interface Kept {
  rows: Rows;
  blobs: Blobs;
  incoming: Incoming;
}

/**
 * Copies all that a gate keeps to an empty place, while no gate runs: first the bytes, checked by their hash, then the
 * rows in one transaction, so that it can be repeated after a failure.
 * @returns the number of things copied, by kind
 * @throws {Error} when the other place has documents, or a hash differs
 */
export async function copyKept(from: Kept, to: Kept): Promise<Record<string, number>> {
  const { documents, versions, sessions, deliveries, unsaved } = await from.rows.read(async (tx) => {
    const all = await tx.documents();
    const stored = [];
    for (const { docId } of all) stored.push(...(await tx.versions(docId)));
    const rest = { sessions: await tx.sessions(), deliveries: await tx.deliveries(), unsaved: await tx.allUnsaved({}) };
    return { documents: all, versions: stored, ...rest };
  });
  const there = await to.rows.read(async (tx) => [...(await tx.documents()), ...(await tx.deliveries())]);
  if (there.length > 0) throw new Error('there are documents already');
  for (const stored of [...versions, ...unsaved]) await copyBlob(from, to, stored);
  await to.rows.transact(async (tx) => {
    for (const document of documents) await tx.putDocument(document);
    for (const version of versions) await tx.putVersion(version);
    for (const session of sessions) await tx.putSession(session);
    for (const delivery of deliveries) await tx.addDelivery(delivery);
    for (const edit of unsaved) await tx.putUnsaved(edit);
  });
  const copied = { documents, versions, sessions, callbacks: deliveries, unsaved };
  return Object.fromEntries(Object.entries(copied).map(([name, { length }]) => [name, length]));
}

async function copyBlob({ blobs }: Kept, to: Kept, stored: StoredBlob): Promise<void> {
  const content = blobs.read(stored);
  const receiving = to.incoming.receive(content, { maxBytes: Number.POSITIVE_INFINITY });
  const file = await receiving.finally(() => content.destroy());
  if (file.sha256 !== stored.sha256) {
    await to.incoming.discard(file);
    throw new Error(`the bytes of ${stored.blob} are not those of ${stored.sha256}`);
  }
  await to.blobs.put(file, stored.blob);
}
