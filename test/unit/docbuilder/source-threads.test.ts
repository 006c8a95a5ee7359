import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { expect } from 'chai';
import { createSourceThreads } from '../../../cmd/docbuilder/source/source-threads.ts';
import { useFolder } from '../../support/folder.ts';
import { corrupt } from '../../support/inspect.ts';

describe('threads that read sources', () => {
  const never = new AbortController().signal;
  const folder = useFolder('test');
  const threads = createSourceThreads();
  after(() => threads.stop());

  it('inspect, and refuse with an error of the interface', async () => {
    const options = { filename: 'a.csv', hasPassword: false };
    expect(await threads.inspect(await folder.file('a;b\n'), options, never)).to.include({ format: 'csv' });
    const error = await threads.inspect(await folder.file(''), options, never).catch((thrown) => thrown);
    expect(error).to.deep.include(corrupt('empty'));
  });

  it('transcode, and measure csv', async () => {
    const task = { path: await folder.file('a,09\n'), target: folder.at('csv'), encoding: 'utf-8' } as const;
    const size = await threads.transcode({ ...task, delimiter: ',' }, never);
    expect(size).to.deep.equal({ rows: 1, columns: 2, letters: 2 });
    expect(await readFile(task.target, 'utf8')).to.equal('a,"09"\n');
    expect((await stat(task.target)).mode & 0o777).to.equal(0o600);
    expect(await threads.transcode(task, never).catch(({ code }) => code)).to.equal('EEXIST');
  });

  it('end when nobody waits for them any more, and make no file after it was removed', async () => {
    const path = await folder.file(Buffer.from('ệ '.repeat(8 << 20)));
    for (const wait of [0, 1, 2, 5, 50]) {
      const target = folder.at(`ended-${wait}`);
      const signal = AbortSignal.timeout(wait);
      const ended = threads.transcode({ path, target, encoding: 'utf-8' }, signal).catch((error) => error);
      expect(await ended).to.equal(signal.reason);
      await rm(target);
    }
    expect((await readdir(folder.path)).filter((name) => name.startsWith('ended'))).to.deep.equal([]);
  });
});
