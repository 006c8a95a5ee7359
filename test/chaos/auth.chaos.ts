/**
 * The time of an answer of `POST /svc/auth` at three gates on PostgreSQL, asked at a fixed rate whether or not answers
 * come: `mocha test/chaos/auth.chaos.ts` on a machine that does nothing else. SVC_CHAOS_RATE, SVC_CHAOS_SECONDS.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { socket26 } from '../support/gate-openings.ts';
import { type Gates, startGates } from '../support/gates.ts';
import { type Postgres, postgresOrSkip } from '../support/postgres.ts';
import { type S3Server, s3Missing, startS3Server } from '../support/s3-server.ts';

const RATE = Number(process.env['SVC_CHAOS_RATE'] ?? 1_000);
const SECONDS = Number(process.env['SVC_CHAOS_SECONDS'] ?? 10);
const CONNECTIONS = 60;
const SESSIONS = 40;
/** Shows what machine and client take for themselves. */
const BARE = new URL('../support/bare-server.ts', import.meta.url);
const ALLOWED = 'HTTP/1.1 200 ';

describe('POST /svc/auth on PostgreSQL', function () {
  this.timeout(600_000);
  let postgres: Postgres;
  let s3: S3Server;
  let gates: Gates;

  before(async function () {
    if (s3Missing()) this.skip();
    postgres = await postgresOrSkip(this);
    s3 = await startS3Server();
    const environment = { SVC_GATE_CONNECTION_CAP: String(3 * SESSIONS) };
    gates = await startGates({ count: 3, databaseUrl: await postgres.create(), s3, environment });
  });
  after(async () => {
    await gates?.stop();
    await s3?.dispose();
    await postgres?.stop();
  });

  /** @param isOpen they edit, so a question notes nothing; otherwise each that is asked again is noted once a second */
  async function questions(isOpen: boolean): Promise<string[]> {
    const uris: string[] = [];
    while (uris.length < SESSIONS) {
      const session = await gates.create({ key: `document-${isOpen}-${uris.length}` });
      const { editor_url, form } = session;
      if (isOpen) await gates.open(session);
      uris.push(socket26(String(new URL(editor_url, 'http://x').searchParams.get('WOPISrc')), form.access_token));
    }
    return uris;
  }

  it(`answers ${RATE} questions a second, 99 of 100 within 10 ms`, async () => {
    const bare = await Promise.all(Array.from({ length: 3 }, startBare));
    const [uris, ofEditing] = [await questions(false), await questions(true)];
    const none = await askAtRate(
      bare.map(({ port }) => port),
      uris,
    );
    for (const { end } of bare) end();
    const ports = gates.all.map(({ ports }) => ports.internal);
    // The gates' code is not compiled yet in the first seconds, which therefore do not count.
    const [cold, warm] = [await askAtRate(ports, uris), await askAtRate(ports, uris)];
    const editing = await askAtRate(ports, ofEditing);
    for (const [name, times] of Object.entries({ none, cold, warm, editing }))
      process.stderr.write(`      ${name}: ${JSON.stringify(times)} ms\n`);
    expect(editing.p99).to.be.at.most(10);
    // Those who were let in and never came are noted anew once a second each, by three gates in one row: that is slower.
    expect(warm.p99).to.be.at.most(10);
  });
});

async function startBare(): Promise<{ port: number; end: () => void }> {
  const child = fork(BARE);
  const [port] = (await once(child, 'message')) as [number];
  return { port, end: () => child.kill() };
}

/** Asks on one connection. */
async function ask(socket: Socket, uri: string): Promise<void> {
  const answered = once(socket, 'data');
  const lines = ['POST /svc/auth HTTP/1.1', 'Host: gate', `X-Original-URI: ${uri}`, 'X-SVC-Stage: ws'];
  socket.write([...lines, 'Content-Length: 0', '', ''].join('\r\n'));
  const [answer] = await answered;
  expect(String(answer)).to.match(new RegExp(`^${ALLOWED}`));
}

/** Asks at the fixed rate. @returns milliseconds that so many of a hundred answers took at most */
async function askAtRate(
  ports: readonly number[],
  uris: readonly string[],
): Promise<Record<'p50' | 'p90' | 'p99', number>> {
  const free = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const socket = connect({ port: ports[index % ports.length] ?? 0, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  const times: number[] = [];
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  for (let count = 0; count < RATE * SECONDS; ) {
    const due = begun + (count / RATE) * 1_000;
    const socket = performance.now() < due ? undefined : free.shift();
    if (!socket) {
      await sleep(0);
      continue;
    }
    const answer = ask(socket, uris[count % SESSIONS] as string).then(() => {
      // From when it should have been asked: who waits for a connection waits for an answer.
      times.push(performance.now() - due);
      free.push(socket);
    });
    asked.push(answer);
    count += 1;
  }
  await Promise.all(asked);
  for (const socket of free) socket.destroy();
  times.sort((one, other) => one - other);
  const at = (part: number) => Number(times[Math.floor(times.length * part)]?.toFixed(1));
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
