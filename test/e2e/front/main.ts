import { parseArgs } from 'node:util';
import { checkFront, type Mode, type Result } from './suite.ts';
import { remoteControl } from './support/control.ts';

const USAGE = `usage: npm run conformance -- --base-url URL [--mode front|auth-url] [--gate-control URL]

Checks a front proxy row by row against the contract's table "Front proxy routing". Ends with 0 when nothing misses.
From outside it sees paths and handshakes; neither time limits and buffering nor who made a 403.

  --base-url URL       where the front listens
  --mode MODE          who asks the gate: the front itself (front, the default) or an edge before it (auth-url)
  --gate-control URL   steers the servers behind the front (test/e2e/front/support/upstreams.ts); adds the rows that
                       need a gate under control: what is asked, refusals, a gate that fails. Not for a service in use
`;

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    mode: { type: 'string', default: 'front' },
    'gate-control': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const baseUrl = URL.parse(values['base-url'] ?? '');
if (values.help || !baseUrl || !['front', 'auth-url'].includes(values.mode)) {
  process.stderr.write(USAGE);
  process.exit(values.help ? 0 : 2);
}

const control = values['gate-control'] === undefined ? undefined : remoteControl(values['gate-control']);
const results = await checkFront({ baseUrl, mode: values.mode as Mode }, control);
process.stdout.write(table(results));
process.exitCode = results.some(({ misses }) => misses.length > 0) ? 1 : 0;

function table(rows: Result[]): string {
  const width = Math.max(...rows.map(({ path }) => path.length));
  const lines = rows.flatMap(({ path, promise, misses }) => [
    `${misses.length === 0 ? 'ok  ' : 'MISS'}  ${path.padEnd(width)}  ${promise}`,
    ...misses.map((miss) => `      ${' '.repeat(width)}    ${miss}`),
  ]);
  const missed = rows.filter(({ misses }) => misses.length > 0).length;
  return `${lines.join('\n')}\n${rows.length - missed} of ${rows.length} rows hold\n`;
}
