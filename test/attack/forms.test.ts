import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRandom } from '../../bench/statistics.ts';
import { startEnterprise, until } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

/** Forms that are sent; a thousand take about eight seconds. */
const RUNS = Number(process.env['FORM_RUNS'] ?? 600);
const SEED = Number(process.env['FORM_SEED'] ?? 1);
const CLIENTS = 20;
const IDLE_MS = 300;
/** The time of an answer, from the last byte that is sent: milliseconds, or `IDLE_MS`. A form that hangs has none, ever. */
const ANSWER_MS = 10_000;
const REFUSALS = [400, 408, 413, 415, 422];

const PATHS = ['convert', 'extract/text', 'extract/meta', 'extract/thumbnail', 'template/render'];
const FILES = ['file', 'file', 'template', 'data', 'doc', 'File', '', '__proto__'];
const FIELDS = [...'to to from async options options.pages data file x __proto__'.split(' '), 'n'.repeat(200)];
const NAMES = ['a.docx', 'a.docx', 'a.xyz', '..', '', '=?UTF-8?B?Li4=?=', 'n'.repeat(1100), 'n'.repeat(9000)];
const VALUES = ['pdf', 'docx', 'true', '{}', '{"a":', '', 'x'.repeat(70_000)];
const SIZES = [0, 1, 5, 1000, 20_000, 70_000, 300_000, 1_200_000];
const NAMED = 'Content-Disposition: form-data; name="file"';
const HEADS = [
  ...['', 'Content-Type: text/plain', 'Content-Disposition: attachment; name="file"; filename="a.docx"'],
  ...['Content-Disposition: form-data', NAMED.slice(0, -1), `${NAMED}\r\nContent-Type: application/octet-stream`],
  `${NAMED}; filename="a\rb.docx"`,
  ...[`X-Pad: ${'x'.repeat(20_000)}\r\n`, 'X-Many: 1\r\n'.repeat(50)].map((pad) => `${pad}${NAMED}; filename="a.docx"`),
  '\u0000\r\n\r\n',
];
const BOUNDARIES = ['', '; boundary=', '; boundary="b', `; boundary=${'b'.repeat(2000)}`, '; boundary=other'];
const TYPES = [
  ...[...BOUNDARIES, '; boundary=b; boundary=c'].map((boundary) => `multipart/form-data${boundary}`),
  ...['multipart/mixed; boundary=b', 'application/json', 'text/plain'],
];

/** A request with a form, as a client sends it that makes mistakes. */
interface RandomForm {
  /** Head and body, in the pieces in which they are written. */
  pieces: Buffer[];
  /** Milliseconds between pieces. */
  pause: number;
  /** The client stays and reads, says that it sends no more, or closes its connection after the last piece. */
  end: 'stays' | 'half-closes' | 'leaves';
  /** All of the body that the head announces is sent. */
  isWhole: boolean;
}

/** Each way in which a form can end badly has its answer, soon, and leaves nothing. */
describe(`${RUNS} random forms`, function () {
  this.timeout(60_000 + 30 * RUNS);
  const service = useStarted(
    () => {
      let now = Date.now();
      // Requests per minute are not what is tested here.
      const clock = () => (now += 2000);
      return startEnterprise({ SVC_DOCBUILDER_MAX_FILE_MB: '1' }, { uploadIdleMs: IDLE_MS, clock });
    },
    ({ stop }) => stop(),
  );

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
  // A client that still sends when the connection ends gets a reset, after its answer.
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

/**
 * A form with parts in any order, of any name and size, twice or not at all, that may be cut off, wrongly bounded or
 * announced as something else. No file in it is a document, so none reaches the engine. The same seed gives the same.
 * @param headers lines of the head, such as the one with the key
 */
function randomForm(seed: number, headers: readonly string[]): RandomForm {
  const random = seededRandom(seed);
  const below = (number: number): number => Math.floor(random() * number);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const rarely = (): boolean => random() < 0.1;

  const part = (): string => {
    const kind = random();
    if (kind < 0.1) return `${one(HEADS)}\r\n\r\n${'\0'.repeat(one(SIZES))}`;
    const named = `Content-Disposition: form-data; name="${one(kind < 0.6 ? FILES : FIELDS)}"`;
    if (kind >= 0.6) return `${named}\r\n\r\n${one(VALUES)}`;
    return `${named}; filename="${one(NAMES)}"\r\nContent-Type: application/octet-stream\r\n\r\n${'\0'.repeat(one(SIZES))}`;
  };
  const parts = Array.from({ length: rarely() ? below(50) : below(6) }, part);
  let text = `${rarely() ? 'preamble\r\n' : ''}${parts.map((each) => `--b\r\n${each}\r\n`).join('')}--b--\r\n`;
  if (rarely()) text += 'epilogue'.repeat(below(20_000));
  if (rarely()) text = text.replaceAll('\r\n', '\n');
  if (rarely()) text = text.replace('--b--\r\n', one(['', '--b', '--b\r\n', '--b-', '--b--']));
  const whole = Buffer.from(text, 'latin1');
  const body = rarely() ? whole.subarray(0, below(whole.length + 1)) : whole;

  const type = rarely() ? one(TYPES) : 'multipart/form-data; boundary=b';
  const missing = rarely() ? 1 + below(100_000) : 0;
  const chunked = rarely();
  const head = [
    `POST /v1/${one(PATHS)} HTTP/1.1`,
    ...headers,
    `Content-Type: ${type}`,
    chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length + missing}`,
  ];
  const sent = chunked ? inChunks(body, missing === 0) : body;
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), sent]);
  const cuts = Array.from({ length: one([0, 0, 1, 3, 10]) }, () => below(bytes.length)).sort((a, b) => a - b);
  const borders = [0, ...cuts, bytes.length];
  return {
    pieces: borders.slice(1).map((border, index) => bytes.subarray(borders[index], border)),
    pause: one([0, 0, 1, 5]),
    isWhole: missing === 0,
    end: rarely() ? 'leaves' : rarely() ? 'half-closes' : 'stays',
  };
}

/** @param ended the last chunk says that it is the last */
function inChunks(body: Buffer, ended: boolean): Buffer {
  const chunk = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')];
  return Buffer.concat([...(body.length > 0 ? chunk : []), Buffer.from(ended ? '0\r\n\r\n' : '')]);
}
