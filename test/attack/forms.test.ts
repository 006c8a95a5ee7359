import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { startEnterprise, type TestService, until } from '../support/service.ts';
import { type RandomForm, randomForm } from './random-forms.ts';

/** Forms that are sent; a thousand take about eight seconds. */
const RUNS = Number(process.env['FORM_RUNS'] ?? 1000);
const SEED = Number(process.env['FORM_SEED'] ?? 1);
const CLIENTS = 20;
const IDLE_MS = 300;
/** The time of an answer, from the last byte that is sent: milliseconds, or `IDLE_MS`. A form that hangs has none, ever. */
const ANSWER_MS = 10_000;
const REFUSALS = [400, 408, 413, 415, 422];

/** Each way in which a form can end badly has its answer, soon, and leaves nothing. */
describe(`${RUNS} random forms`, function () {
  this.timeout(60_000 + 30 * RUNS);
  let service: TestService;
  before(async () => {
    let now = Date.now();
    const clock = () => {
      // Requests per minute are not what is tested here.
      now += 2000;
      return now;
    };
    service = await startEnterprise({ SVC_DOCBUILDER_MAX_FILE_MB: '1' }, { uploadIdleMs: IDLE_MS, clock });
  });
  after(() => service.stop());

  it('are all answered with 4xx, and leave no file and no descriptor', async () => {
    const before = await descriptors(service.url);
    const wrong: string[] = [];
    const statuses = new Set<number>();
    const seeds = Array.from({ length: RUNS }, (_, index) => SEED + index).values();
    const client = async (): Promise<void> => {
      for (const seed of seeds) {
        const form = randomForm(seed, ['Host: x', `Authorization: Bearer ${service.key}`]);
        const answer = await send(service.url, form);
        // Node takes a client that sends no more for one that reads no more, too.
        if (form.end === 'leaves' || (form.end === 'half-closes' && answer === '')) continue;
        const status = readStatus(answer);
        statuses.add(status);
        // A form that has arrived is not waited for.
        if (!REFUSALS.includes(status) || (status === 408 && form.isWhole))
          wrong.push(`FORM_SEED=${seed} FORM_RUNS=1: ${answer || 'no answer'}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    expect(wrong).to.deep.equal([]);
    if (RUNS > 500) expect([...statuses]).to.have.members(REFUSALS);
    let left: string[] = [];
    await until('nothing is left', async () => {
      left = [...(await service.temporaries()), ...(await descriptors(service.url))];
      left = left.filter((path) => !before.includes(path));
      return left.length === 0;
    }).catch(() => undefined);
    expect(left).to.deep.equal([]);
  });
});

/** Files that this process has open, and connections to the service. */
async function descriptors(url: string): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd');
  const paths = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')));
  const connections = (await readFile('/proc/self/net/tcp', 'utf8'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const open = connections.filter(([, local, , state]) => local?.endsWith(`:${port}`) && /^0[18]$/.test(state ?? ''));
  return [...paths.filter((path) => path.startsWith('/')), ...open.map(([, , remote]) => `connection ${remote}`)];
}

/** @returns what the service answered within the time it has */
async function send(url: string, { pieces, pause: between, end }: RandomForm): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  // A client that still sends when the connection ends is told by a reset; it has its answer by then.
  socket.on('error', () => undefined);
  let answer = '';
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding('utf8').on('data', (piece) => {
      answer += piece;
      if (readStatus(answer) > 0) resolve();
    });
    socket.on('close', resolve).on('end', resolve);
  });
  for (const piece of pieces) {
    if (!socket.writable) break;
    socket.write(piece);
    if (between > 0) await pause(between);
  }
  if (end === 'half-closes') socket.end();
  if (end !== 'leaves') await Promise.race([answered, pause(ANSWER_MS)]);
  socket.destroy();
  return answer;
}

/** Status of an answer that is whole and an error object, or 0. */
function readStatus(answer: string): number {
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  const length = /\r\nContent-Length: (\d+)\r\n/i.exec(answer)?.[1];
  const isError = /^\{"error":\{"code":"[a-z_]+","message":".+","detail":\{.*\},"request_id":"req_[0-9a-f]{16}"\}\}$/;
  return Buffer.byteLength(body) === Number(length) && isError.test(body) ? Number(answer.slice(9, 12)) : 0;
}
