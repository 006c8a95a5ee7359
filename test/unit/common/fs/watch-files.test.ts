import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { watchFiles } from '../../../../src/common/fs/watch-files.ts';
import { eventually } from '../../../support/outbound.ts';

const NEVER = 3_600_000;

describe('watchFiles', () => {
  let folder: string;
  let looks: number;
  let stop: () => void;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'watch-'));
    looks = 0;
  });
  afterEach(async () => {
    stop();
    await rm(folder, { recursive: true, force: true });
  });

  function start(names: string[], pollMs = NEVER): void {
    const paths = names.map((name) => join(folder, name));
    stop = watchFiles(
      paths,
      async () => {
        looks += 1;
      },
      { pollMs },
    );
  }
  const looked = (times: number) => eventually(() => looks >= times, `${times} looks`);

  /** Another one that looks all the time has done so meanwhile. */
  async function anotherLooked(times: number): Promise<void> {
    let seen = 0;
    const stopOther = watchFiles(
      [join(folder, 'a')],
      async () => {
        seen += 1;
      },
      { pollMs: 1 },
    );
    await eventually(() => seen >= times, 'another one looks');
    stopOther();
  }

  it('does not look for a neighbour', async () => {
    start(['a']);
    await looked(1);
    for (let i = 0; i < 5; i += 1) await writeFile(join(folder, 'neighbour'), String(i));
    await writeFile(join(folder, 'b'), '');
    // Another watcher sees all of it.
    let seen = 0;
    const stopOther = watchFiles(
      [join(folder, 'b')],
      async () => {
        seen += 1;
      },
      { pollMs: NEVER },
    );
    await eventually(() => seen === 1, 'the other looks');
    await writeFile(join(folder, 'b'), '2');
    await eventually(() => seen === 2, 'the other looks again');
    stopOther();
    expect(looks).to.equal(1);
  });

  it('begins no look before the one before has ended', async () => {
    const ends: (() => void)[] = [];
    stop = watchFiles(
      [join(folder, 'a')],
      () => {
        looks += 1;
        return new Promise((resolve) => ends.push(resolve));
      },
      { pollMs: 1 },
    );
    await looked(1);
    await anotherLooked(4);
    expect(looks).to.equal(1);
    ends[0]?.();
    await looked(2);
  });

  it('follows a folder that comes later and one that takes its place, faster than its poll', async () => {
    const pollMs = 300;
    start(['later/a'], pollMs);
    const change = () => writeFile(join(folder, 'later/a'), String(looks));
    /** Whether a change is seen long before the poll would; a busy machine has some tries. */
    const isFollowed = async (triesLeft = 5): Promise<boolean> => {
      await looked(looks + 1);
      const changedAt = performance.now();
      await change();
      await looked(looks + 1);
      return performance.now() - changedAt < pollMs / 2 || (triesLeft > 0 && isFollowed(triesLeft - 1));
    };
    await mkdir(join(folder, 'later'));
    await change();
    expect(await isFollowed()).to.equal(true);
    await rename(join(folder, 'later'), join(folder, 'gone'));
    await mkdir(join(folder, 'later'));
    await change();
    expect(await isFollowed()).to.equal(true);
  });

  it('survives that its folder goes away', async () => {
    await mkdir(join(folder, 'sub'));
    start(['sub/a'], 20);
    await looked(1);
    await rm(join(folder, 'sub'), { recursive: true });
    await looked(looks + 2);
  });

  it('is silent once stopped', async () => {
    start(['a'], 1);
    await looked(1);
    stop();
    const before = looks;
    await anotherLooked(3);
    expect(looks).to.equal(before);
  });
});
