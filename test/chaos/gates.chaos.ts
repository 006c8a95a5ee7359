/**
 * Three gates, one PostgreSQL and one S3 server through bad minutes: `mocha test/chaos/gates.chaos.ts`. It is no part of
 * `make test`. Sizes are variables: SVC_CHAOS_SAVES, _DOCUMENTS, _CUTS, _EVERY_MS, _CLIENTS, _SECONDS.
 */
import { createHash, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { EmbedSession } from '../../src/common/generated/wire.ts';
import { type Gates, startGates } from '../support/gates.ts';
import { type Postgres, postgresOrSkip } from '../support/postgres.ts';
import { type S3Server, s3Missing, startS3Server } from '../support/s3-server.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const size = (name: string, standard: number): number => Number(process.env[`SVC_CHAOS_${name}`] ?? standard);
const [SAVES, DOCUMENTS, CUTS, EVERY_MS] = [
  size('SAVES', 10_000),
  size('DOCUMENTS', 200),
  size('CUTS', 300),
  size('EVERY_MS', 1_000),
];
const [CLIENTS, SECONDS, CAP] = [size('CLIENTS', 500), size('SECONDS', 300), 50];
const SAVING = 8;
/** The times for which a gate stands still: one for which it leads on, and two after which another one does. */
const PAUSES_MS = [5_000, 12_000, 30_000];
/** The time after which a save is sent to another gate. */
const ANSWER_MS = 10_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const say = (text: string): void => void process.stderr.write(`      ${text}\n`);

describe('three gates', function () {
  this.timeout(3_600_000);
  this.retries(0);
  let postgres: Postgres;
  let s3: S3Server;
  let net: TcpProxy;
  let gates: Gates;

  before(async function () {
    if (s3Missing()) this.skip();
    postgres = await postgresOrSkip(this);
    s3 = await startS3Server();
  });
  beforeEach(async () => {
    net = await startTcpProxy(postgres.port);
  });
  afterEach(async () => {
    await gates?.stop();
    await net.close();
  });
  after(async () => {
    await s3?.dispose();
    await postgres?.stop();
  });

  /** Kills a gate, any of them, and starts another one. */
  async function replaceGate(): Promise<void> {
    const gate = gates.all[randomInt(gates.all.length)];
    if (gate) await gates.kill(gate);
    // The S3 server may be away just now.
    for (;;) {
      try {
        await gates.add();
        return;
      } catch {
        await sleep(200);
      }
    }
  }

  /** Stops a gate where it is, and lets it go on later, beside what happens next. */
  async function pauseGate(): Promise<void> {
    const { child } = gates.all[randomInt(gates.all.length)] ?? {};
    child?.kill('SIGSTOP');
    setTimeout(() => child?.kill('SIGCONT'), PAUSES_MS[randomInt(PAUSES_MS.length)]);
  }

  const TROUBLES: Record<string, () => Promise<unknown>> = {
    gate: replaceGate,
    'gate that stands still': pauseGate,
    'PostgreSQL connections': async () => net.drop(),
    PostgreSQL: async () => {
      await postgres.kill();
      // Its own processes end a moment later, and none starts before that.
      await sleep(1_000);
      await until(
        'PostgreSQL is back',
        () =>
          postgres.start().then(
            () => true,
            () => undefined,
          ),
        60_000,
      );
    },
    'S3 server': async () => {
      await s3.kill();
      await sleep(randomInt(1_000));
      await s3.start();
    },
  };

  /** Saves until so many are acknowledged and `trouble` is over; then counts what got lost. */
  async function saveThrough(saves: number, trouble: () => Promise<void>) {
    const sessions: EmbedSession[] = [];
    while (sessions.length < DOCUMENTS) {
      const session = await gates.create({ key: `document-${sessions.length}` });
      sessions.push(session);
      // It gives its place back, of which there are fewer; its saves are still taken.
      const [method, body] = ['POST', JSON.stringify({ mode: 'view' })];
      await gates.ask(session, '/mode', { method, body, headers: { 'Content-Type': 'application/json' } });
    }
    const acknowledged = new Map<string, Set<string>>(sessions.map(({ key }) => [key, new Set()]));
    const idle = [...sessions];
    let [started, tries, isOver] = [0, 0, false];

    /** Sends a save that says which version it began from; one that gets no answer may be stored later. */
    async function put(session: EmbedSession, content: string): Promise<number> {
      const { LastModifiedTime = '' } = await gates.fileInfo(session, AbortSignal.timeout(ANSWER_MS));
      const headers = { 'X-COOL-WOPI-Timestamp': LastModifiedTime };
      return gates.put(session, content, undefined, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
    }

    /** Saves as the editor does: one of a document at a time, again and again until it is acknowledged. */
    async function save(): Promise<void> {
      while (started < saves || !isOver) {
        const session = idle.splice(randomInt(idle.length), 1)[0] as EmbedSession;
        started += 1;
        const content = `save ${started} of ${session.key}`;
        for (let status = 0; status !== 200; tries += 1) {
          status = await put(session, content).catch(() => 0);
          if (status !== 200) await sleep(200);
        }
        acknowledged.get(session.key)?.add(sha256(content));
        idle.push(session);
        await sleep(randomInt(20));
      }
    }

    const begun = performance.now();
    const troubled = trouble().then(() => {
      isOver = true;
    });
    await Promise.all([troubled, ...Array.from({ length: SAVING }, save)]);
    say(`${started} saves, ${tries} uploads, ${Math.round((performance.now() - begun) / 1000)} s`);
    await until(
      'all callbacks are sent',
      async () => {
        const { callbacks } = (await gates.status()).embed;
        expect(callbacks.given_up).to.deep.equal([]);
        return callbacks.pending === 0 || undefined;
      },
      300_000,
    );
    const figures = { lostSaves: 0, lostCallbacks: 0, outOfOrder: 0, numberedTwice: 0, overwritten: 0, repeats: 0 };
    for (const session of sessions) await count(session, acknowledged.get(session.key) ?? new Set(), figures);
    say(JSON.stringify(figures));
    const { repeats, ...faults } = figures;
    expect(Object.entries(faults).filter(([, number]) => number > 0)).to.deep.equal([]);
  }

  /** Compares what the receiver of a document was told with what was acknowledged. */
  async function count(session: EmbedSession, acknowledged: ReadonlySet<string>, figures: Record<string, number>) {
    const add = (figure: string, more = 1) => {
      figures[figure] = (figures[figure] ?? 0) + more;
    };
    const hashes = new Map<number, string>();
    const ids = new Set<unknown>();
    for (const { body, headers } of gates.receiver.arrived) {
      if (body.key !== session.key || body.status !== 'saved') continue;
      const id = headers['x-svc-delivery'];
      if (ids.has(id)) add('repeats');
      else if (body.version !== hashes.size + 1) add('outOfOrder');
      ids.add(id);
      if ((hashes.get(body.version) ?? body.sha256) !== body.sha256) add('numberedTwice');
      hashes.set(body.version, body.sha256);
    }
    const { version, sha256: newest } = await gates.state(session);
    add('lostCallbacks', version - hashes.size);
    const stored = new Set([...hashes.values(), newest]);
    for (const hash of acknowledged) if (!stored.has(hash)) add('lostSaves');
    // One that was sent before it, and reached its gate late.
    if (acknowledged.size > 0 && newest !== [...acknowledged].at(-1)) add('overwritten');
  }

  it(`lose none of ${SAVES} acknowledged saves and no callback while ${CUTS} times something is killed or cut`, async () => {
    gates = await startGates({ count: 3, databaseUrl: await postgres.create(net.port), s3 });
    const names = Object.keys(TROUBLES);
    await saveThrough(SAVES, async () => {
      for (let cut = 0; cut < CUTS; cut += 1) {
        const begun = performance.now();
        await TROUBLES[names[randomInt(names.length)] as string]?.();
        await sleep(Math.max(0, EVERY_MS - (performance.now() - begun)));
      }
    });
  });

  it(`let in no more than ${CAP} of ${CLIENTS} clients that come and go for ${SECONDS} s, while gates are killed`, async () => {
    const environment = { SVC_GATE_CONNECTION_CAP: String(CAP) };
    gates = await startGates({ count: 3, databaseUrl: await postgres.create(net.port), s3, environment });
    const deadline = performance.now() + SECONDS * 1_000;
    const figures = { most: 0, openings: 0, refused: 0, limited: 0, failed: 0 };
    let editing = 0;

    async function come(client: number): Promise<void> {
      await sleep(randomInt(5_000));
      let session: EmbedSession | undefined;
      while (performance.now() < deadline) {
        try {
          session ??= await gates.create({ key: `document-${client % 40}` });
          if (session.mode === 'view') figures.limited += 1;
          else await edit(session);
        } catch (error) {
          if (String(error).includes('refused')) figures.refused += 1;
          else figures.failed += 1;
        }
        // One comes back with its session, another deletes it and asks for a new one.
        if (session && randomInt(2) === 0) {
          await gates.ask(session, '', { method: 'DELETE' }).catch(() => {});
          session = undefined;
        }
        await sleep(randomInt(10_000));
      }
    }

    async function edit(session: EmbedSession): Promise<void> {
      const view = await gates.open(session);
      editing += 1;
      figures.openings += 1;
      figures.most = Math.max(figures.most, editing);
      await sleep(randomInt(20_000));
      editing -= 1;
      await (randomInt(2) === 0 ? view.drop() : view.leave());
    }

    async function trouble(): Promise<void> {
      while (performance.now() < deadline) {
        await sleep(10_000);
        await replaceGate();
      }
    }

    await Promise.all([trouble(), ...Array.from({ length: CLIENTS }, (_, client) => come(client))]);
    say(JSON.stringify(figures));
    expect(figures.most).to.be.at.most(CAP);
    expect(figures.openings).to.be.greaterThan(CAP);
  });

  it('lose nothing when the standby takes the place of their PostgreSQL', async () => {
    gates = await startGates({ count: 3, databaseUrl: await postgres.create(net.port), s3 });
    const standby = await postgres.addStandby();
    await saveThrough(Math.min(SAVES, 1_000), async () => {
      await sleep(5_000);
      await postgres.kill();
      await standby.promote();
      net.leadTo(standby.port);
      await sleep(10_000);
    });
  });
});
