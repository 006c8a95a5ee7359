import type { Blobs, Incoming, Rows, StoredBlob } from './ports.ts';

/** All that a gate keeps. */
export interface Kept {
  rows: Rows;
  blobs: Blobs;
  incoming: Incoming;
}

/**
 * Copies all that a gate keeps to another place, which is empty; nobody works on either of them meanwhile. First the bytes,
 * each compared with its hash, then the rows in one transaction: after a failure the other place has no document, and the
 * copy can be made again. What the first place has stays as it is.
 * @returns the number of each thing that was copied
 * @throws {Error} when the other place has documents, or bytes are not those that their row names
 */
export async function copyKept(from: Kept, to: Kept): Promise<Record<string, number>> {
  const { documents, versions, sessions, deliveries, unsaved } = await readAll(from.rows);
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
  return {
    documents: documents.length,
    versions: versions.length,
    sessions: sessions.length,
    callbacks: deliveries.length,
    unsaved: unsaved.length,
  };
}

function readAll(rows: Rows) {
  return rows.read(async (tx) => {
    const documents = await tx.documents();
    const versions = [];
    for (const { docId } of documents) versions.push(...(await tx.versions(docId)));
    const sessions = await tx.sessions();
    return { documents, versions, sessions, deliveries: await tx.deliveries(), unsaved: await tx.allUnsaved({}) };
  });
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
