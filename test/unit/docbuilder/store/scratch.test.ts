import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { createScratch } from '../../../../cmd/docbuilder/store/scratch.ts';
import { tempFolder } from '../../../support/inspect.ts';

const PARALLEL = 100;

describe('a temporary file that is refused', () => {
  const never = new AbortController().signal;
  const piece = () => Readable.from([Buffer.from('too large')]);
  for (const [what, refusal] of [
    ['of its size', { maxBytes: 1, signal: never }],
    ['before it began', { maxBytes: 100, signal: AbortSignal.abort(new Error('gone')) }],
  ] as const) {
    // The file may only just have been opened. Of some thousand, a few were made after they had been removed.
    it(`because ${what}, is not there afterwards`, async () => {
      const folder = await tempFolder();
      const scratch = createScratch(folder.path);
      const receive = () => scratch.receive(piece(), refusal.maxBytes, refusal.signal).catch((error: Error) => error);
      for (let round = 0; round < 15; round++) {
        const ends = await Promise.all(Array.from({ length: PARALLEL }, receive));
        for (const end of ends) expect(end).to.be.an('error');
      }
      expect(await readdir(folder.path)).to.deep.equal([]);
      await folder.remove();
    });
  }
});
