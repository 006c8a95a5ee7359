import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { processIdentity, takeOwnership } from '../../../../src/common/fs/ownership.ts';
import { failure } from '../../../support/failure.ts';
import { useFolder } from '../../../support/folder.ts';

describe('takeOwnership', () => {
  const folder = useFolder();
  const file = () => folder.at('owner.json');

  const refusal = async () => (await failure(takeOwnership(folder.path)))?.message;

  it('is refused while another process that owns the folder lives, and not after that', async () => {
    const other = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(other, 'spawn');
    const closed = once(other, 'close');
    try {
      writeFileSync(file(), JSON.stringify(processIdentity(Number(other.pid))));
      expect(await refusal()).to.contain(`in use by process ${other.pid}`);
    } finally {
      other.kill('SIGKILL');
      await closed;
    }
    expect(await refusal()).to.equal(undefined);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).to.deep.equal(processIdentity(process.pid));
  });

  it('is not refused for a process that has the owner’s id by chance, nor for a file that says nothing', async () => {
    for (const owner of [JSON.stringify({ pid: 1, startTime: 'another' }), '{"pid":', '']) {
      writeFileSync(file(), owner);
      expect(await refusal()).to.equal(undefined);
    }
  });
});
