import { Readable } from 'node:stream';
import type { Blobs, Incoming } from '../../cmd/gate/domain/ports.ts';
import type { Uploaded } from '../../cmd/gate/domain/uploads.ts';
import { randomBlob } from './gate-records.ts';

/** Receives content and puts it in its place. */
export async function bringTo(
  { incoming, blobs }: { incoming: Incoming; blobs: Blobs },
  content: string | Buffer | Readable,
  maxBytes = 2 ** 30,
): Promise<Uploaded> {
  const source = content instanceof Readable ? content : Readable.from([Buffer.from(content)]);
  const file = await incoming.receive(source, { maxBytes });
  const blob = randomBlob();
  await blobs.put(file, blob);
  return { blob, sha256: file.sha256, size: file.size };
}
