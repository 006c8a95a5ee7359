import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readSmallFile } from '../../../../src/common/fs/read-small.ts';
import { useFolder } from '../../../support/folder.ts';

const missing = { ok: true, text: null };

describe('readSmallFile', () => {
  const folder = useFolder('test');
  const read = async (content: string) => readSmallFile(await folder.file(content));

  it('reads text without what stands around it, a byte order mark included', async () => {
    expect(await read('\ufeff  Công ty\r\n\n')).to.deep.equal({ ok: true, text: 'Công ty' });
    expect(await read('')).to.deep.equal({ ok: true, text: '' });
  });

  it('takes 64 KiB and not a byte more', async () => {
    expect(await read('x'.repeat(65_536))).to.include({ ok: true });
    expect(await read('x'.repeat(65_537))).to.deep.equal({ ok: false, problem: 'is larger than 64 KiB' });
  });

  it('tells a file that is not there from one that cannot be read, and waits at no pipe', async () => {
    await writeFile(folder.at('plain'), '');
    await symlink('nowhere', folder.at('dangling'));
    await symlink('loop', folder.at('loop'));
    execFileSync('mkfifo', [folder.at('pipe')]);
    for (const name of ['nothing', 'plain/below', 'dangling']) {
      expect(await readSmallFile(folder.at(name)), name).to.deep.equal(missing);
    }
    expect(await readSmallFile(folder.at('loop'))).to.deep.equal({ ok: false, problem: 'cannot be read (ELOOP)' });
    for (const path of [folder.at('pipe'), folder.path, '/dev/zero']) {
      expect(await readSmallFile(path), path).to.deep.equal({ ok: false, problem: 'is not a file' });
    }
  });
});
