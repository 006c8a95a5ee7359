import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { listeningPort } from '../../support/listen.ts';
import { until } from '../../support/until.ts';
import { type RunningFront, startFront } from './support/nginx.ts';
import { open, requestText, send } from './support/raw.ts';
import { startUpstreams, type Upstreams } from './support/upstreams.ts';
import { PAGE } from './targets.ts';

const GET = { target: '/svc/limits' };
const POST = { target: '/v1/convert', method: 'POST', headers: { 'Content-Length': '4' }, body: 'body' };
const KINDS = ['gate', 'gateInternal', 'docbuilder'] as const;

/** In a cluster a name stands for the pods; here the template has a line for each, since the machine has no such name. */
describe('front before several pods', function () {
  this.timeout(30_000);
  let [one, other]: Upstreams[] = [];
  let front: RunningFront;

  beforeEach(async () => {
    [one, other] = await Promise.all([startUpstreams(), startUpstreams()]);
    front = await startWith(other.addresses);
  });
  afterEach(async () => {
    await front.stop();
    await Promise.all([one?.stop(), other?.stop()]);
  });

  function pods(): [Upstreams, Upstreams] {
    if (!one || !other) throw new Error('not started');
    return [one, other];
  }

  function startWith(second: Partial<Upstreams['addresses']>): Promise<RunningFront> {
    const [first] = pods();
    const change = (template: string): string =>
      template.replaceAll(/^( *server )\$\{SVC_FRONT_(GATE|GATE_INTERNAL|DOCBUILDER)\}(.*)$/gm, (line, ...parts) => {
        const [server, name, rest] = parts as [string, string, string];
        const kind = KINDS.find((candidate) => candidate.replace(/[A-Z]/, '_$&').toUpperCase() === name);
        const address = kind && second[kind];
        return address === undefined ? line : `${line}\n${server}${address}${rest}`;
      });
    return startFront(first.addresses, { change });
  }

  const seen = (kind: (typeof KINDS)[number]): number[] => pods().map((pod) => pod.seen(kind).length);

  it('gives the next request to the one that has less to do', async () => {
    const [first] = pods();
    await first.behave('docbuilder', { hang: true });
    const sent: Socket[] = [];
    while (first.seen('docbuilder').length === 0) {
      const socket = open(front.url);
      socket.write(requestText(front.url, POST));
      sent.push(socket);
      await delay(50);
    }
    for (let round = 0; round < 6; round += 1) expect((await send(front.url, POST, 2)).status).to.equal(200);
    for (const socket of sent) socket.destroy();
  });

  it('asks another one where one takes no connection, whatever the request: nothing was sent', async () => {
    const [first] = pods();
    for (const kind of KINDS) await first.behave(kind, { down: true });
    for (let round = 0; round < 10; round += 1) {
      for (const request of [GET, POST]) expect((await send(front.url, request)).status).to.equal(200);
    }
    const [, second] = pods();
    await second.behave('gateInternal', { status: 403 });
    for (let round = 0; round < 10; round += 1) {
      // Not opened unasked: the gate that is there refuses.
      expect((await send(front.url, { target: PAGE })).status).to.equal(429);
    }
  });

  it('asks another one to answer what only asks, when one breaks off without an answer', async () => {
    const [first] = pods();
    await first.behave('gate', { reset: true });
    for (let round = 0; round < 10; round += 1) expect((await send(front.url, GET)).status).to.equal(200);
    const [broken] = seen('gate');
    expect(broken).to.be.above(0);
  });

  it('sends a POST to one only, once it has sent anything', async () => {
    for (const pod of pods()) await pod.behave('docbuilder', { reset: true });
    for (let round = 1; round <= 4; round += 1) {
      expect((await send(front.url, POST)).status).to.equal(502);
      expect(seen('docbuilder').reduce((sum, count) => sum + count)).to.equal(1);
    }
  });

  it('asks another gate within the 2 s of the connect timeout where one takes no connection and says nothing', async () => {
    const deaf = await deafListener();
    const [first] = pods();
    const stuck = await startWith({ gateInternal: `127.0.0.1:${deaf.port}` });
    try {
      await first.behave('gateInternal', { status: 403 });
      const answers = await Promise.all(Array.from({ length: 6 }, () => send(stuck.url, { target: PAGE })));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(6).fill(429));
      for (const { milliseconds } of answers) expect(milliseconds).to.be.below(4_500);
    } finally {
      await stuck.stop();
      deaf.stop();
    }
  });

  it('keeps no connection for longer than a pod waits that goes, though it is used all the time', async () => {
    const [first] = pods();
    const born: number[] = [];
    let last = 0;
    const gate = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
      if (born.length === 1) last = performance.now();
      response.end('here');
    }).on('connection', () => born.push(performance.now()));
    const address = `127.0.0.1:${await listeningPort(gate.listen(0, '127.0.0.1'))}`;
    const alone = await startFront({ ...first.addresses, gate: address });
    try {
      const ask = async () => (await fetch(new URL(GET.target, alone.url))).text();
      // After 1,000 requests nginx ends a connection in any case.
      await until('another connection', async () => (await ask()) && born.length > 1);
      expect(last - (born[0] ?? 0)).to.be.within(4_000, 8_000);
    } finally {
      await alone.stop();
      gate.close();
    }
  });
});

/** A port that answers no connection attempt: its queue is full and its process stopped. */
async function deafListener(): Promise<{ port: number; stop(): void }> {
  const script =
    "require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })";
  const child: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const port = Number(line.toString());
  child.kill('SIGSTOP');
  const fillers: Socket[] = [];
  for (let i = 0; i < 8; i++) fillers.push(connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.race([
    ...fillers.slice(0, 1).map((socket) => once(socket, 'connect')),
    new Promise((resolve) => setTimeout(resolve, 500)),
  ]);
  return {
    port,
    stop: () => {
      for (const socket of fillers) socket.destroy();
      child.kill('SIGKILL');
    },
  };
}
