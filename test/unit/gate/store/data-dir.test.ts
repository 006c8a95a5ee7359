import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDataDir } from '../../../../cmd/gate/store/data-dir.ts';

describe('the data folder of the gate, at start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-data-dir-'));
  after(() => rmSync(folder, { recursive: true }));

  it('has no download of an earlier run', async () => {
    const incoming = join(folder, 'incoming');
    mkdirSync(incoming);
    writeFileSync(join(incoming, 'half'), 'half of a document');
    const { rows, temporary } = await openDataDir(folder);
    expect(temporary).to.equal(incoming);
    expect(readdirSync(incoming)).to.deep.equal([]);
    expect(existsSync(join(folder, 'owner.json'))).to.equal(true);
    await rows.close();
  });
});
