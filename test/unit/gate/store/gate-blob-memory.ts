import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { openDataDir } from '../../../../cmd/gate/store/data-dir.ts';
import { bringTo } from '../../../support/gate-records.ts';

/** Puts and gets 100 MB in the folder of its argument; prints by how many bytes the process grew at its largest. */
const MB = 1_000_000;
const data = await openDataDir(process.argv[2] ?? '');
// V8 lets some 60 MB of buffers that nobody has any more pile up before it first looks.
await putAndGet(20);
const before = process.resourceUsage().maxRSS;
await putAndGet(100);
process.stdout.write(String((process.resourceUsage().maxRSS - before) * 1024));

async function putAndGet(megabytes: number): Promise<void> {
  const pieces = function* (): Generator<Buffer> {
    for (let piece = 0; piece < megabytes * 16; piece += 1) yield randomBytes(MB / 16);
  };
  const stored = await bringTo(data, Readable.from(pieces(), { objectMode: false }));
  let read = 0;
  for await (const chunk of data.blobs.read(stored)) read += chunk.length;
  if (read !== stored.size || read !== megabytes * MB) throw new Error(`${read} bytes of ${stored.size} came back`);
}
