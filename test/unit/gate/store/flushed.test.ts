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

describe('a file on its way', () => {
  /** Writes 6 MB of which one flush may fail. @returns the error, and how many flushes there were */
  async function write({ failing = -1, isKept = true }): Promise<[error: unknown, flushes: number]> {
    let flushes = 0;
    const handle = {
      writev: async (chunks: Buffer[]) => ({ bytesWritten: Buffer.concat(chunks).length }),
      datasync: () => (flushes++ === failing ? Promise.reject(new Error('EIO')) : Promise.resolve()),
    };
    const attempt: Attempt = (work) => work();
    const file = new HashedFile(handle as never, { maxBytes: 1e9, idleMs: 1_000, attempt, isKept });
    const large = Array.from({ length: 96 }, () => Buffer.alloc(65_536));
    const error = await pipeline(Readable.from(large), file).catch((thrown) => thrown);
    if (!error) expect(file.size).to.equal(96 * 65_536);
    return [error, flushes];
  }

  for (const [failing, when] of ['while bytes arrive, though the last one works', 'at the end'].entries()) {
    it(`a flush that fails ${when}, is never tried again`, async () => {
      expect((await write({ failing }))[0]).to.have.property('message', 'EIO');
    });
  }

  it('is not flushed when it is only a copy on its way to another store', async () => {
    expect(await write({ isKept: false })).to.deep.equal([undefined, 0]);
  });
});

/** A kill -9 cannot tell what a power cut would have lost: what reaches the kernel, in which order, can. */
describe('what is on disk to stay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-flushed-'));
  const data = join(folder, 'data');
  let calls: string[] = [];

  before(function () {
    const module = (path: string): string => JSON.stringify(join(root, path));
    const program = `
      import { writeSync } from 'node:fs';
      import { Readable } from 'node:stream';
      import { openDataDir } from ${module('cmd/gate/store/data-dir.ts')};
      import { bringTo, documentRecord, uploadRecord } from ${module('test/support/gate-records.ts')};
      const data = await openDataDir(${JSON.stringify(data)});
      const large = Array.from({ length: 96 }, () => Buffer.alloc(65_536));
      await data.rows.transact((t) => t.putDocument(documentRecord()));
      for (const [what, act] of [
        ['blob', () => bringTo(data, 'abc')],
        ['large blob', () => bringTo(data, Readable.from(large))],
        ['notes', () => data.rows.transact(async (t) => {
          await t.putUpload(uploadRecord());
          await t.remember({ kind: 'loaded', docId: 'doc_a', key: '', value: null, at: 1 });
        })],
        ['rows', () => data.rows.transact((t) => t.putDocument(documentRecord({ version: 1 })))],
      ]) {
        writeSync(1, 'begin ' + what + '.');
        await act();
        writeSync(1, 'end ' + what + '.');
      }`;
    const trace = join(folder, 'trace');
    const traced = '/^(fsync|fdatasync|rename|renameat|renameat2|mkdir|mkdirat|unlink|unlinkat|write|writev|pwritev)$';
    const node = [process.execPath, '--input-type=module', '-e', program];
    const strace = spawnSync('strace', ['-f', '-y', '-e', traced, '-o', trace, ...node], { encoding: 'utf8' });
    // No strace on this machine, or no permission to trace.
    if (strace.error || strace.stdout === '') this.skip();
    // `<unfinished ...>` and `<... resumed>` are two lines of one call.
    calls = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => !line.includes('resumed>'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Returns the names of the calls between two marks, each with its target. */
  function between(what: string): string[] {
    const [begin, end] = ['begin', 'end'].map((mark) => calls.findIndex((call) => call.includes(`"${mark} ${what}."`)));
    expect(begin).to.be.greaterThan(-1);
    return calls.slice(Number(begin) + 1, end).flatMap((call) => {
      const name = /^\d+ +(\w+)\(/.exec(call)?.[1];
      const target = /data\/(incoming|blobs|gate\.db-wal)/.exec(call)?.[1];
      return name && target ? [`${name} ${target}`] : [];
    });
  }

  /** Returns the place of a call on a path in the trace; -1 before its beginning. */
  const find = (name: string, path: string, after = -1): number =>
    calls.findIndex((call, index) => index > after && new RegExp(`\\b${name}`).test(call) && call.includes(path));

  it('is a blob that is flushed before it gets its name, and the name after that', () => {
    expect(between('blob').filter((call) => !call.startsWith('write'))).to.deep.equal([
      'fdatasync incoming',
      'rename incoming',
      'fsync blobs',
    ]);
  });

  it('is a large blob that is flushed while it arrives, and once more after the last of it', () => {
    const done = between('large blob').filter((call) => call.endsWith('incoming'));
    const flushes = done.flatMap((call, index) => (call.startsWith('fdatasync') ? [index] : []));
    expect(flushes).to.have.lengthOf(2);
    expect(flushes.at(-1)).to.be.above(done.findLastIndex((call) => /^p?writev? /.test(call)));
    expect(done.at(-1)).to.equal('rename incoming');
  });

  it('are no notes of uploads, and no memories: they cost no flush', () => {
    expect(between('notes')).to.deep.equal([]);
  });

  it('are rows that are flushed in the log', () => {
    expect(between('rows').at(-1)).to.match(/^f(data)?sync gate\.db-wal$/);
  });

  it('is a new data folder with all its shards, and what they are in', () => {
    const shards = find('mkdir', `"${data}/blobs/ff"`);
    expect(shards).to.be.at.least(0);
    expect(find('fsync', `<${data}/blobs>`, shards)).to.be.above(shards);
    expect(find('fsync', `<${data}>`, find('mkdir', `"${data}/blobs"`))).to.be.above(0);
  });

  it('is a link key that was flushed before it got its name, and the name after that', () => {
    const named = find('rename', `"${data}/links.key"`);
    const temporary = /"([^"]+\.tmp)"/.exec(calls[named] ?? '')?.[1] ?? '';
    expect(find('f(data)?sync', `<${temporary}>`)).to.be.within(0, named - 1);
    expect(find('fsync', `<${data}>`, named)).to.be.above(named);
  });
});
