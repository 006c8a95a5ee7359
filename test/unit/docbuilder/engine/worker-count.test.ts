import { rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readWorkerCount } from '../../../../cmd/docbuilder/engine/worker-count.ts';
import { useFolder } from '../../../support/folder.ts';
import { silentLogger } from '../../../support/logs.ts';
import { until } from '../../../support/until.ts';

describe('the file with the number of workers', () => {
  const folder = useFolder('test');
  const path = () => folder.at('workers');
  const read = () => readWorkerCount({ path: path(), fallback: 4, log: silentLogger(), pollMs: 100 });

  for (const [content, count] of Object.entries({
    ...{ '2\n': 2, '32': 32, '1': 1 },
    ...{ '0': 4, '33': 4, '': 4, '1.5': 4, '-2': 4, many: 4, '0x10': 4 },
  })) {
    it(`with ${JSON.stringify(content)} there are ${count}`, async () => {
      await writeFile(path(), content);
      expect((await read()).current()).to.equal(count);
    });
  }

  it('counts when it comes, changes, and not when it breaks or goes', async () => {
    const workers = await read();
    const seen: number[] = [];
    const stop = workers.watch(() => seen.push(workers.current()));
    expect(workers.current()).to.equal(4);
    await writeFile(path(), '2');
    await until('2 workers', () => workers.current() === 2);
    await writeFile(path(), 'none');
    await writeFile(path(), '3');
    await until('3 workers', () => workers.current() === 3);
    await rm(path());
    await writeFile(path(), '5');
    await until('5 workers', () => workers.current() === 5);
    stop();
    expect(seen).to.deep.equal([2, 3, 5]);
  });

  it('is not there where none is named', async () => {
    const workers = await readWorkerCount({ fallback: 3, log: silentLogger() });
    workers.watch(() => undefined)();
    expect(workers.current()).to.equal(3);
  });
});
