import { mkdir, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { watchFiles } from '../../../../src/common/fs/watch-files.ts';
import { useFolder } from '../../../support/folder.ts';
import { eventually } from '../../../support/outbound.ts';

const NEVER = 3_600_000;

describe('watchFiles', () => {
  const folder = useFolder('test');
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  /** Watches a file and counts the looks at it. */
  function watch(name: string, pollMs = NEVER, look: () => Promise<void> = async () => {}) {
    const watcher = { looks: 0, looked: (times: number) => eventually(() => watcher.looks >= times, `${times} looks`) };
    const count = () => {
      watcher.looks += 1;
      return look();
    };
    stops.push(watchFiles([folder.at(name)], count, { pollMs }));
    return watcher;
  }

  it('does not look for a neighbour', async () => {
    const watcher = watch('a');
    await watcher.looked(1);
    for (let i = 0; i < 5; i += 1) await writeFile(folder.at('neighbour'), String(i));
    await writeFile(folder.at('b'), '');
    // Another watcher sees all of it.
    const other = watch('b');
    await other.looked(1);
    await writeFile(folder.at('b'), '2');
    await other.looked(2);
    expect(watcher.looks).to.equal(1);
  });

  it('begins no look before the one before has ended', async () => {
    const ends: (() => void)[] = [];
    const watcher = watch('a', 1, () => new Promise((resolve) => ends.push(resolve)));
    await watcher.looked(1);
    await watch('a', 1).looked(4);
    expect(watcher.looks).to.equal(1);
    ends[0]?.();
    await watcher.looked(2);
  });

  it('survives that its folder goes away', async () => {
    await mkdir(folder.at('sub'));
    const watcher = watch('sub/a', 20);
    await watcher.looked(1);
    await rm(folder.at('sub'), { recursive: true });
    await watcher.looked(watcher.looks + 2);
  });

  it('is silent once stopped', async () => {
    const watcher = watch('a', 1);
    await watcher.looked(1);
    stops.pop()?.();
    const before = watcher.looks;
    await watch('a', 1).looked(3);
    expect(watcher.looks).to.equal(before);
  });
});
