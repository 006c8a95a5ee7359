/**
 * Runs all tests in two processes side by side: much of those on a cluster is waiting, much of the others is work.
 * `node scripts/test.ts`: the report of the first comes as it is made, after it that of the second, then one line for
 * both. Exits with 1 if a test failed or a process ended before its last test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readTally, reportingTo, tallyLine } from './support/tally.ts';

/** Arguments of mocha in each process. Tests on a cluster come last: it is made beside those before them. */
const LANES = [
  ['test/**/*.test.ts', '--ignore', 'test/e2e/*.test.ts', '--ignore', 'test/e2e/{controller,cluster}/**'],
  ['test/e2e/*.test.ts', 'test/e2e/controller/**/*.test.ts', 'test/e2e/cluster/**/*.test.ts'],
];

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'));
const lanes = LANES.map(start);
// A terminal sends it to every process; a second one would keep mocha from ending what the tests started.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {
  for (const { child } of lanes) child.kill();
});
for (const lane of lanes) {
  lane.show();
  await lane.ended;
}
const tallies = lanes.map(({ tally, child }, index) => {
  const early = `all the rest, since mocha ${LANES[index]?.join(' ')} ended too early (${child.signalCode ?? child.exitCode})`;
  return readTally(tally) ?? { passed: 0, failed: [early], skipped: 0, runAgain: 0 };
});
rmSync(folder, { recursive: true });
for (const title of tallies.flatMap(({ failed }) => failed)) console.log(`failed: ${title}`);
console.log(tallyLine(tallies));
process.exitCode =
  lanes.every(({ child }) => child.exitCode === 0) && tallies.every(({ failed }) => failed.length === 0) ? 0 : 1;

/** Starts a process of tests. What it says is kept until it is to be shown. */
function start(parameters: readonly string[], index: number) {
  const tally = join(folder, `${index}.json`);
  const colors = process.stdout.isTTY ? ['--color'] : [];
  const child = spawn(join(root, 'node_modules/.bin/mocha'), [...parameters, ...colors], {
    cwd: root,
    env: reportingTo(tally),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kept: Buffer[] = [];
  let write = (chunk: Buffer): unknown => kept.push(chunk);
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => write(chunk));
  const show = () => {
    write = (chunk) => process.stdout.write(chunk);
    kept.splice(0).forEach(write);
  };
  return { child, tally, show, ended: once(child, 'close') };
}
