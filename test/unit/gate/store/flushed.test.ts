import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const root = resolve(import.meta.dirname, '../../../..');

/** A kill -9 cannot tell what a power cut would have lost: what reaches the kernel, in which order, can. */
describe('what is acknowledged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-flushed-'));
  const store = (name: string): string => JSON.stringify(join(root, 'cmd/gate/store', name));
  let calls: string[] = [];

  before(function () {
    const program = `
      import { writeSync } from 'node:fs';
      import { Readable } from 'node:stream';
      import { openDataDir } from ${store('data-dir.ts')};
      import { documentRecord } from ${JSON.stringify(join(root, 'test/support/gate-records.ts'))};
      const { rows, blobs } = await openDataDir(${JSON.stringify(join(folder, 'data'))});
      const write = () => blobs.write(Readable.from([Buffer.from('abc')]), 3);
      const large = Array.from({ length: 96 }, () => Buffer.alloc(65_536));
      await rows.transact((t) => t.putDocument(documentRecord()));
      for (const [what, act] of [
        ['blob', write],
        ['known blob', write],
        ['large blob', () => blobs.write(Readable.from(large), 8_000_000)],
        ['rows', () => rows.transact((t) => t.putDocument(documentRecord({ version: 1 })))],
      ]) {
        writeSync(1, 'begin ' + what + '.');
        await act();
        writeSync(1, 'end ' + what + '.');
      }`;
    const trace = join(folder, 'trace');
    const traced = '/^(fsync|fdatasync|rename|renameat|renameat2|unlink|unlinkat|write|writev|pwritev)$';
    const strace = spawnSync(
      'strace',
      ['-f', '-y', '-e', traced, '-o', trace, process.execPath, '--input-type=module', '-e', program],
      { encoding: 'utf8' },
    );
    // No strace on this machine, or no permission to trace.
    if (strace.error || strace.stdout === '') this.skip();
    calls = readFileSync(trace, 'utf8').split('\n');
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Names of the calls between two marks, each with what it is done to. */
  function between(what: string): string[] {
    const [begin, end] = ['begin', 'end'].map((mark) => calls.findIndex((call) => call.includes(`"${mark} ${what}."`)));
    expect(begin).to.be.greaterThan(-1);
    return calls.slice(Number(begin) + 1, end).flatMap((call) => {
      const name = /^\d+ +(\w+)\(/.exec(call)?.[1];
      const target = /data\/(blobs\/incoming|blobs\/ba|gate\.db-wal)/.exec(call)?.[1];
      return name && target ? [`${name} ${target}`] : [];
    });
  }

  it('of a blob is flushed before it gets its name, and the name after that', () => {
    expect(between('blob').filter((call) => !call.startsWith('write'))).to.deep.equal([
      'fsync blobs/incoming',
      'rename blobs/incoming',
      'fsync blobs/ba',
    ]);
  });

  it('of a blob that is there already is flushed too: who brought it may not have come so far', () => {
    expect(between('known blob').filter((call) => !call.startsWith('write'))).to.deep.equal([
      'fsync blobs/incoming',
      'unlink blobs/incoming',
      'fsync blobs/ba',
    ]);
  });

  it('of a large blob is flushed while it arrives, and once more after the last of it', () => {
    const done = between('large blob').filter((call) => call.endsWith('blobs/incoming'));
    expect(done).to.include('fdatasync blobs/incoming');
    // A flush on the way may still begin beside the last one; the name comes after both.
    expect(done.at(-1)).to.equal('rename blobs/incoming');
    const [lastWrite, wholeFlush] = [
      done.findLastIndex((call) => /^p?writev? /.test(call)),
      done.indexOf('fsync blobs/incoming'),
    ];
    expect(wholeFlush).to.be.above(lastWrite);
  });

  it('of rows is flushed in the log', () => {
    const [last] = between('rows').slice(-1);
    expect(last).to.match(/^f(data)?sync gate\.db-wal$/);
  });
});
