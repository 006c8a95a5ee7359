import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSmallFile } from '../../../../src/common/fs/read-small.ts';

describe('readSmallFile', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'read-small-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function read(content: string) {
    const path = join(folder, 'file');
    await writeFile(path, content);
    return readSmallFile(path);
  }

  it('reads text without what stands around it, a byte order mark included', async () => {
    expect(await read('\ufeff  Công ty\r\n\n')).to.deep.equal({ ok: true, text: 'Công ty' });
    expect(await read('')).to.deep.equal({ ok: true, text: '' });
  });

  it('takes 64 KiB and not a byte more', async () => {
    expect(await read('x'.repeat(65_536))).to.include({ ok: true });
    expect(await read('x'.repeat(65_537))).to.deep.equal({ ok: false, problem: 'is larger than 64 KiB' });
  });

  it('tells a file that is not there from one that cannot be read', async () => {
    await writeFile(join(folder, 'plain'), '');
    await symlink('nowhere', join(folder, 'dangling'));
    await symlink('loop', join(folder, 'loop'));
    expect(await readSmallFile(join(folder, 'nothing'))).to.deep.equal({ ok: true, text: null });
    expect(await readSmallFile(join(folder, 'plain', 'below'))).to.deep.equal({ ok: true, text: null });
    expect(await readSmallFile(join(folder, 'dangling'))).to.deep.equal({ ok: true, text: null });
    expect(await readSmallFile(join(folder, 'loop'))).to.deep.equal({ ok: false, problem: 'cannot be read (ELOOP)' });
  });

  it('does not wait at a named pipe, nor read a folder or a device', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const path of [join(folder, 'pipe'), folder, '/dev/zero']) {
      expect(await readSmallFile(path), path).to.deep.equal({ ok: false, problem: 'is not a file' });
    }
  });
});
