import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { lockFolder } from '../../../../src/common/fs/folder-lock.ts';
import { failure } from '../../../support/failure.ts';
import { useFolder } from '../../../support/folder.ts';
import { until } from '../../../support/until.ts';

const MODULE = resolve(import.meta.dirname, '../../../../src/common/fs/folder-lock.ts');

describe('lockFolder', () => {
  const folder = useFolder();
  const refusal = async () => (await failure(lockFolder(folder.path)))?.message;

  /** Another process that has the lock. */
  async function holder(): Promise<ChildProcess> {
    const program = `import { lockFolder } from ${JSON.stringify(MODULE)};
      await lockFolder(${JSON.stringify(folder.path)});
      globalThis.gc(); // A lock that nobody refers to stays all the same.
      console.log('locked');
      setInterval(() => {}, 60_000);`;
    const flags = ['--expose-gc', '--input-type=module', '-e', program];
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  }

  it('is refused while another process has it, and not after that process was killed', async () => {
    const other = await holder();
    const closed = once(other, 'close');
    try {
      expect(await refusal()).to.contain('in use by another process');
    } finally {
      other.kill('SIGKILL');
      await closed;
    }
    (await lockFolder(folder.path))();
  });

  it('is waited for where there is a log, which says so once', async () => {
    const other = await holder();
    const closed = once(other, 'close');
    let waits = 0;
    let isLocked = false;
    const log = {
      warn: () => {
        waits += 1;
      },
    };
    const locked = lockFolder(folder.path, log).then((release) => {
      isLocked = true;
      return release;
    });
    await until('it waits', () => waits > 0);
    expect(isLocked).to.equal(false);
    other.kill('SIGKILL');
    await closed;
    (await locked)();
    expect(waits).to.equal(1);
  });

  it('holds within a process as well, until it is released, and writes nothing, which a full disk would refuse', async () => {
    const release = await lockFolder(folder.path);
    expect(await refusal()).to.contain(folder.path);
    expect(readdirSync(folder.path)).to.deep.equal(['lock']);
    release();
    (await lockFolder(folder.path))();
    expect(statSync(folder.at('lock')).size).to.equal(0);
  });
});
