import { expect } from 'chai';
import { buildWork } from '../../../../cmd/docbuilder/script/build.ts';
import type { ScriptFacts } from '../../../../cmd/docbuilder/script/check/facts.ts';

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
        scratch: {
          newPath: () => '/nowhere',
          read: unused,
          write: unused,
          size: unused,
          remove: async () => undefined,
        },
        writeFlat: async () => void 'x'.repeat(2 ** 29).padEnd(2 ** 31),
        clock: () => 0,
        maxFileBytes: () => 1,
      },
    );
    const error = await work
      .run(new AbortController().signal, async () => ({ fileId: 'file_1', path: '/nowhere' }))
      .catch((thrown) => thrown);
    expect(error).to.include({ code: 'script_error' });
    expect(error.detail).to.include({ path: '', message: 'không dựng được: memory_limit' });
  });
});
