import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { writeLimited } from '../../../cmd/docbuilder/jobs/write-limited.ts';
import { createTemporaryFiles } from '../../../cmd/docbuilder/store/temporary-files.ts';
import { useFolder } from '../../support/folder.ts';

const PARALLEL = 100;

describe('temporary files', () => {
  const never = new AbortController().signal;
  const folder = useFolder();
  for (const [what, maxBytes, signal] of [
    ['are too large', 1, never],
    ['are given up before they begin', 100, AbortSignal.abort(new Error('gone'))],
    ['are written', 100, never],
  ] as const) {
    // A file may only just have been opened. Of some thousand, a few were made after they had been removed.
    it(`that ${what} are not there once they are removed`, async () => {
      for (let round = 0; round < 15; round++) {
        const files = createTemporaryFiles(folder.path);
        const write = () => writeLimited(Readable.from([Buffer.from('text')]), files.newPath(), maxBytes, signal);
        const ends = await Promise.allSettled(Array.from({ length: PARALLEL }, write));
        for (const { status } of ends) expect(status).to.equal(what === 'are written' ? 'fulfilled' : 'rejected');
        await files.remove();
      }
      expect(await readdir(folder.path)).to.deep.equal([]);
    });
  }
});
