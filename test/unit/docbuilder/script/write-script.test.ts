import { readdir, readFile, stat } from 'node:fs/promises';
import { expect } from 'chai';
import { writeFlatFile } from '../../../../cmd/docbuilder/script/write-script.ts';
import { useFolder } from '../../../support/folder.ts';

const MiB = 2 ** 20;

describe('a file whose head is known last', () => {
  const folder = useFolder('test');

  for (const count of [3, 40]) {
    it(`has its head before its body of ${count} MiB, and nothing beside it`, async () => {
      let gone = 0;
      function* body() {
        for (; gone < count; gone++) yield `${gone % 10}`.repeat(MiB);
      }
      const path = folder.at('flat');
      await writeFlatFile({ body: body(), head: () => `đầu ${gone},`, tail: 'đuôi' }, path);
      const digits = Array.from({ length: count }, (_, index) => `${index % 10}`.repeat(MiB)).join('');
      expect((await readFile(path, 'utf8')) === `đầu ${count},${digits}đuôi`).to.equal(true);
      expect(await readdir(folder.path)).to.deep.equal(['flat']);
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
    });
  }

  it('leaves nothing when its body cannot be made', async () => {
    function* body() {
      for (let index = 0; index < 60; index++) yield 'x'.repeat(MiB);
      throw new Error('late');
    }
    const pieces = { body: body(), head: () => '', tail: '' };
    const error = await writeFlatFile(pieces, folder.at('flat')).catch((thrown) => thrown);
    expect(error).to.have.property('message', 'late');
    expect(await readdir(folder.path)).to.deep.equal([]);
  });
});
