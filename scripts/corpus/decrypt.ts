/**
 * `node scripts/corpus/decrypt.ts FOLDER`: makes documents of LibreOffice's tests readable that its source has encrypted
 * to keep virus checkers quiet (sw/qa/core/data/README: RC4 with a key that is known), in their place.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = Buffer.from('CVE');
const ENCRYPTED = /^(?:CVE|EDB|BID|RC4)-/;

for (const entry of readdirSync(process.argv[2] ?? '.', { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !ENCRYPTED.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  writeFileSync(path, rc4(readFileSync(path)));
}

/** RC4, which is its own reverse; Node's OpenSSL no longer has it. */
function rc4(bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 255] ?? 0;
  const swap = (a: number, b: number) => {
    [state[a & 255], state[b & 255]] = [at(b), at(a)];
  };
  let other = 0;
  for (let index = 0; index < 256; index++) {
    other += at(index) + (KEY[index % KEY.length] ?? 0);
    swap(index, other);
  }
  other = 0;
  return bytes.map((byte, position) => {
    other += at(position + 1);
    swap(position + 1, other);
    return byte ^ at(at(position + 1) + at(other));
  }) as Buffer;
}
