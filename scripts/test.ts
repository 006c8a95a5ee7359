/**
 * Runs tests in two lanes side by side: much of those that start and kill processes is waiting, much of the others is
 * work. `node scripts/test.ts` runs all that need neither a cluster nor another store; `node scripts/test.ts all` also
 * those on a cluster, and once more on the shared store those that run on either (`support/shared-suites.ts`), where
 * this machine has PostgreSQL and an S3 server. The reports of the first lane come as they are made, after them those of
 * the second, then one line for all. Exits with 1 if a test failed or a process ended before its last test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findPostgres, S3_SERVER } from '../cmd/local/store.ts';
import { sharedClusterSuites, sharedSuites } from './support/shared-suites.ts';
import { readTally, reportingTo, type Tally, tallyLine } from './support/tally.ts';

/** One process of tests. */
interface Run {
  /** Says to people which one it is. */
  name: string;
  /** Arguments of mocha. */
  parameters: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

const root = resolve(import.meta.dirname, '..');
const isAll = process.argv[2] === 'all';
const hasServers = existsSync(S3_SERVER) && (await findPostgres()) !== undefined;

const PROCESSES = ['test/e2e/*.test.ts', 'test/e2e/controller/**/*.test.ts'];
const IN_BROWSERS = ['test/{attack,browser}/**/*.test.ts', 'test/e2e/front/**/*.test.ts'];
const OF_PROCESSES: Run = { name: 'the tests of several processes', parameters: PROCESSES };
const OF_ATTACKS: Run = { name: 'the tests of attacks, browsers and the front', parameters: IN_BROWSERS };
const OTHERS: Run = {
  name: 'the other tests of one process',
  parameters: ['test/**/*.test.ts', ...['test/e2e/**', ...IN_BROWSERS].flatMap((tests) => ['--ignore', tests])],
};
const SHARED_STORE = { SVC_TEST_STORE: 'shared' };
const ON_SHARED_STORE: Run = {
  name: 'the tests on the shared store',
  parameters: sharedSuites(root),
  environment: SHARED_STORE,
};
/** Tests on a cluster come last: it is made beside those before them. */
const WITH_CLUSTER: Run = {
  name: 'the tests of several processes and on a cluster',
  parameters: [...PROCESSES, 'test/e2e/cluster/**/*.test.ts'],
};
const WITH_CLUSTER_ON_SHARED_STORE: Run = {
  name: 'the tests on a cluster, on the shared store',
  parameters: sharedClusterSuites(root),
  environment: SHARED_STORE,
};
/** One beside the other; on a cluster much depends on time, so there are two. */
const LANES: readonly (readonly Run[])[] = isAll
  ? [
      [OTHERS, OF_ATTACKS, ...(hasServers ? [ON_SHARED_STORE] : [])],
      [WITH_CLUSTER, ...(hasServers ? [WITH_CLUSTER_ON_SHARED_STORE] : [])],
    ]
  : [[OTHERS], [OF_ATTACKS], [OF_PROCESSES]];

const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'));
const children = new Set<ChildProcess>();
let isStopped = false;
// A terminal sends it to every process; a second one would keep mocha from ending what the tests started.
process.on('SIGINT', () => {
  isStopped = true;
});
process.on('SIGTERM', () => {
  isStopped = true;
  for (const child of children) child.kill();
});
const lanes = LANES.map(startLane);
const tallies: Tally[] = [];
for (const { show, ended } of lanes) {
  show();
  tallies.push(...(await ended));
}
rmSync(folder, { recursive: true });
if (isAll && !hasServers)
  console.log('left out: the tests on the shared store, for want of PostgreSQL or an S3 server');
for (const test of tallies.flatMap(({ failed }) => failed)) console.log(`failed: ${test}`);
console.log(tallyLine(tallies));
process.exitCode = tallies.every(({ failed }) => failed.length === 0) ? 0 : 1;

/** Starts runs one after the other. What they say is kept until it is to be shown. */
function startLane(runs: readonly Run[]) {
  const kept: Buffer[] = [];
  let write = (chunk: Buffer): unknown => kept.push(chunk);
  const all = async () => {
    const done: Tally[] = [];
    for (const run of runs) if (!isStopped) done.push(await runTests(run, (chunk) => write(chunk)));
    return done;
  };
  const show = () => {
    write = (chunk) => process.stdout.write(chunk);
    kept.splice(0).forEach(write);
  };
  return { show, ended: all() };
}

async function runTests({ name, parameters, environment }: Run, write: (chunk: Buffer) => void): Promise<Tally> {
  const tally = join(folder, `${name}.json`);
  const colors = process.stdout.isTTY ? ['--color'] : [];
  const child = spawn(join(root, 'node_modules/.bin/mocha'), [...parameters, ...colors], {
    cwd: root,
    env: { ...reportingTo(tally), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  for (const stream of [child.stdout, child.stderr]) stream.on('data', write);
  await once(child, 'close');
  children.delete(child);
  const { exitCode, signalCode } = child;
  const early = `all the rest of ${name}, since mocha ended too early (${signalCode ?? exitCode})`;
  const results = readTally(tally) ?? { passed: 0, failed: [early], skipped: 0, runAgain: 0 };
  const failed =
    exitCode === 0 || results.failed.length > 0 ? results.failed : [`mocha ended with ${exitCode}: ${name}`];
  return { ...results, failed };
}
