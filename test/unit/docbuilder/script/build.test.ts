import { expect } from 'chai';
import { buildWork } from '../../../../cmd/docbuilder/script/build.ts';
import type { ScriptFacts } from '../../../../cmd/docbuilder/script/check/check.ts';

const script: ScriptFacts = { type: 'slides', save: [{ format: 'pdf' }], links: [], characters: 0 };
const unused = (): never => {
  throw new Error('is not needed');
};

describe('a build', () => {
  it('of a script with more text in one place than a string can hold is the script that cannot be built', async () => {
    const work = buildWork(
      { text: new Uint8Array(), script },
      {
        engine: { run: unused, status: unused, resize: unused, stop: unused },
        downloader: { check: unused, download: unused },
        writeFlat: async () => void 'x'.repeat(2 ** 29).padEnd(2 ** 31),
        clock: () => 0,
        maxFileBytes: () => 1,
      },
    );
    const { signal } = new AbortController();
    const run = await work.prepare(signal, () => '/nowhere');
    const made = run(signal, async () => ({ fileId: 'file_1', path: '/nowhere' }));
    const error = await made.catch((thrown) => thrown);
    expect(error).to.include({ code: 'script_error' });
    expect(error.detail).to.include({ path: '', message: 'không dựng được: memory_limit' });
  });
});
