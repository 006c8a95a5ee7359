import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { checkFront, type Mode, type Result } from './suite.ts';
import { remoteControl } from './support/control.ts';
import { startEdge, startFront, useFront } from './support/nginx.ts';
import { startUpstreams, type Upstreams } from './support/upstreams.ts';

const MAIN = resolve(import.meta.dirname, 'main.ts');

const missed = (results: Result[]): string[] =>
  results
    .filter(({ misses }) => misses.length > 0)
    .map(({ path, promise, misses }) => `${path}: ${promise}: ${misses[0]}`);

describe('front', () => {
  const bench = useFront();

  it('keeps every row of the routing table, where it asks itself and behind an edge that does', async () => {
    const others = await startUpstreams();
    const behind = await startFront(others.addresses);
    const asking = await startEdge(behind.settings);
    const check = (mode: Mode, baseUrl: URL, { controlUrl }: Upstreams) =>
      checkFront({ baseUrl, mode }, remoteControl(controlUrl));
    const found = await Promise.all([
      check('front', bench.front.url, bench.upstreams),
      check('auth-url', asking.url, others),
    ]);
    for (const stop of [asking.stop, behind.stop, others.stop]) await stop();
    for (const results of found) {
      expect(missed(results)).to.deep.equal([]);
      expect(results.length).to.be.greaterThan(50);
    }
  }).timeout(60_000);

  it('asks nothing on the port behind an edge that has asked', async () => {
    const baseUrl = new URL(`http://127.0.0.1:${bench.front.settings.openPort}`);
    await bench.upstreams.behave('gateInternal', { status: 403 });
    const results = await checkFront({ baseUrl, mode: 'auth-url' }, undefined, ({ promise }) =>
      promise.startsWith('101'),
    );
    expect(missed(results)).to.deep.equal([]);
    expect(bench.upstreams.seen('gateInternal')).to.deep.equal([]);
    expect(bench.upstreams.seen('editor').length).to.be.greaterThan(5);
    await bench.upstreams.behave('gateInternal', { status: 200 });
  });

  it('is checked from the command line: a table, 0 when all rows hold, 1 on a miss, 2 without a base URL', async () => {
    await bench.upstreams.behave('gateInternal', { status: 403 });
    const good = await conformance('--base-url', bench.front.url.href);
    expect(good.code, good.stdout).to.equal(0);
    expect(good.stdout).to.match(/14 of 14 rows hold\n$/);
    const bad = await conformance('--base-url', `http://${bench.upstreams.addresses.gate}`);
    expect(bad.code).to.equal(1);
    expect(bad.stdout).to.match(/^MISS/m);
    expect((await conformance()).code).to.equal(2);
    await bench.upstreams.behave('gateInternal', { status: 200 });
  });
});

async function conformance(...args: string[]): Promise<{ code: number; stdout: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args]);
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, stdout };
  }
}
