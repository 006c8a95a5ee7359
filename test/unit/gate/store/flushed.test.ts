import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import type { Attempt } from '../../../../cmd/gate/domain/ports.ts';
import { HashedFile } from '../../../../cmd/gate/store/hashed-file.ts';

const root = resolve(import.meta.dirname, '../../../..');

describe('a flush that fails', () => {
  for (const [failing, when] of ['while bytes arrive, though the last one works', 'at the end'].entries()) {
    it(`${when}, is never tried again`, async () => {
      let flushes = 0;
      const handle = {
        writev: async (chunks: Buffer[]) => ({ bytesWritten: Buffer.concat(chunks).length }),
        datasync: () => (flushes++ === failing ? Promise.reject(new Error('EIO')) : Promise.resolve()),
      };
      const attempt: Attempt = (work) => work();
      const file = new HashedFile(handle as never, { maxBytes: 1e9, idleMs: 1_000, attempt });
      const large = Array.from({ length: 96 }, () => Buffer.alloc(65_536));
      const error = await pipeline(Readable.from(large), file).catch((thrown) => thrown);
      expect(error).to.have.property('message', 'EIO');
    });
  }
});

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
      import { bringTo } from ${JSON.stringify(join(root, 'test/support/gate-saves.ts'))};
      const data = await openDataDir(${JSON.stringify(join(folder, 'data'))});
      const { rows } = data;
      const write = () => bringTo(data, 'abc');
      const large = Array.from({ length: 96 }, () => Buffer.alloc(65_536));
      await rows.transact((t) => t.putDocument(documentRecord()));
      for (const [what, act] of [
        ['blob', write],
        ['known blob', write],
        ['large blob', () => bringTo(data, Readable.from(large))],
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
      const target = /data\/(incoming|blobs\/ba|gate\.db-wal)/.exec(call)?.[1];
      return name && target ? [`${name} ${target}`] : [];
    });
  }

  it('of a blob is flushed before it gets its name, and the name after that', () => {
    expect(between('blob').filter((call) => !call.startsWith('write'))).to.deep.equal([
      'fdatasync incoming',
      'rename incoming',
      'fsync blobs/ba',
    ]);
  });

  it('of a blob that is there already is flushed too: who brought it may not have come so far', () => {
    expect(between('known blob').filter((call) => !call.startsWith('write'))).to.deep.equal([
      'fdatasync incoming',
      'rename incoming',
      'fsync blobs/ba',
    ]);
  });

  it('of a large blob is flushed while it arrives, and once more after the last of it', () => {
    const done = between('large blob').filter((call) => call.endsWith('incoming'));
    const flushes = done.flatMap((call, index) => (call.startsWith('fdatasync') ? [index] : []));
    expect(flushes).to.have.lengthOf(2);
    expect(flushes.at(-1)).to.be.above(done.findLastIndex((call) => /^p?writev? /.test(call)));
    expect(done.at(-1)).to.equal('rename incoming');
  });

  it('of rows is flushed in the log', () => {
    const [last] = between('rows').slice(-1);
    expect(last).to.match(/^f(data)?sync gate\.db-wal$/);
  });
});
