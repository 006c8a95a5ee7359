import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const root = resolve(import.meta.dirname, '../../../..');

/** What the first start makes has to outlive a power cut, or what is put into it later does not. */
describe('a new data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-flushed-'));
  const data = join(folder, 'data');
  let calls: string[] = [];

  before(function () {
    const module = JSON.stringify(join(root, 'cmd/gate/store/data-dir.ts'));
    const program = `import { openDataDir } from ${module}; await openDataDir(${JSON.stringify(data)});`;
    const trace = join(folder, 'trace');
    const traced = '/^(fsync|fdatasync|rename|renameat|renameat2|mkdir|mkdirat)$';
    const node = [process.execPath, '--input-type=module', '-e', program];
    const strace = spawnSync('strace', ['-f', '-y', '-e', traced, '-o', trace, ...node], { encoding: 'utf8' });
    // No strace on this machine, or no permission to trace.
    if (strace.error || strace.status !== 0) this.skip();
    calls = readFileSync(trace, 'utf8')
      .split('\n')
      // `<unfinished ...>` and `<... resumed>` are two lines of one call.
      .filter((line) => !line.includes('resumed>'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const flushOf = (path: string): number =>
    calls.findLastIndex((call) => /\bf(data)?sync\(/.test(call) && call.includes(`<${path}>`));
  const lastOf = (name: string, path: string): number =>
    calls.findLastIndex((call) => new RegExp(`\\b${name}`).test(call) && call.includes(path));

  it('has all shelves for bytes, flushed', () => {
    const made = lastOf('mkdir', `"${data}/blobs/ff"`);
    expect(made).to.be.at.least(0);
    expect(flushOf(join(data, 'blobs'))).to.be.above(made);
  });

  it('is flushed itself, with the name of the folder for bytes in it', () => {
    expect(flushOf(data)).to.be.above(lastOf('mkdir', `"${data}/blobs"`));
  });

  it('has a link key that was flushed before it got its name, and the name after that', () => {
    const named = lastOf('rename', `"${data}/links.key"`);
    expect(named).to.be.at.least(0);
    const temporary = /"([^"]+\.tmp)"/.exec(calls[named] ?? '')?.[1] ?? '';
    expect(flushOf(temporary)).to.be.within(0, named - 1);
    const after = calls.findIndex(
      (call, index) => index > named && /\bfsync\(/.test(call) && call.includes(`<${data}>`),
    );
    expect(after).to.be.above(named);
  });
});
