import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import express, { type RequestHandler } from 'express';
import { passOn } from '../../../cmd/docbuilder/http/pass-on.ts';
import type { Replica } from '../../../cmd/docbuilder/jobs/limits.ts';
import { JobQueue } from '../../../cmd/docbuilder/jobs/queue.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { ErrorResponse } from '../../../src/common/generated/wire.ts';
import { writeContinue } from '../../../src/common/http/continue.ts';
import { errorHandler } from '../../../src/common/http/errors.ts';
import { createHttpServer } from '../../../src/common/http/server.ts';
import { createLogger } from '../../../src/common/log.ts';
import { listeningPort } from '../../support/listen.ts';
import { freePort } from '../../support/process.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

const key = randomBytes(32);
const logged: string[] = [];
const log = createLogger({ service: 'test', level: 'warn', destination: { write: (line) => void logged.push(line) } });

/** A replica with places, whose answer says which one read the body. */
interface Node {
  port: number;
  server: Server;
  places: { free: number; room: number };
  leaving: boolean;
  others: Replica[];
  handle: RequestHandler;
}

async function startNode(name: string): Promise<Node> {
  const node = { places: { free: 0, room: 10 }, leaving: false, others: [] as Replica[] } as Node;
  node.handle = async (request, response) => {
    writeContinue(request, response);
    const { host } = request.headers;
    response.status(202).setHeader('X-Node', name);
    response.json({ node: name, host, body: await text(request), mark: request.headers['x-svc-passed-on'] ?? null });
  };
  const queue = new JobQueue(() => ({ parallel: 1, capacity: 1, limit: 1 }));
  queue.places = () => node.places;
  const group = { others: () => node.others, rank: () => 0 };
  const app = express();
  app.post('/v1/convert', passOn({ group, queue, passKey: key, isLeaving: () => node.leaving, log }), (...args) =>
    node.handle(...args),
  );
  app.use(errorHandler(log));
  node.server = createHttpServer(app).listen(0, '127.0.0.1');
  node.port = await listeningPort(node.server);
  return node;
}

function asReplica(port: number, figures: Partial<Replica> = {}): Replica {
  const workers = { total: 1, idle: 1, busy: 0, restarts: 0 };
  const load = { workers, running: 0, queued: 0, free: 1, room: 11, leaving: false };
  return { id: String(port), address: `127.0.0.1:${port}`, ...load, ...figures };
}

describe('a work request', () => {
  let one: Node;
  let two: Node;
  beforeEach(async () => {
    logged.length = 0;
    [one, two] = [await startNode('one'), await startNode('two')];
    one.others = [asReplica(two.port)];
    two.others = [asReplica(one.port)];
  });
  afterEach(() => {
    for (const { server } of [one, two]) server.close().closeAllConnections();
  });

  const post = async (headers: Record<string, string> = {}, body: string = 'content') => {
    const response = await fetch(`http://127.0.0.1:${one.port}/v1/convert`, { method: 'POST', headers, body });
    return { status: response.status, node: response.headers.get('x-node'), answer: await response.json() };
  };

  it('goes to a replica with a free worker as it is, and its answer comes back as it is', async () => {
    const { status, node, answer } = await post();
    expect([status, node]).to.deep.equal([202, 'two']);
    expect(answer).to.include({ body: 'content', host: `127.0.0.1:${one.port}` });
  });

  const [FREE, FULL, WAITING] = [
    { free: 1, room: 11 },
    { free: 0, room: 0 },
    { free: 0, room: 1 },
  ] as const;
  /** The places of both, the other as the first one knows it, and who answers one request after the other. */
  const CASES: [what: string, change: { one?: Partial<Node>; two?: object; other?: object }, nodes: string[]][] = [
    ['stays where a worker is free', { one: { places: FREE } }, ['one']],
    ['stays where no other has a free one', { other: WAITING }, ['one']],
    ['stays where the others leave', { other: { leaving: true } }, ['one']],
    // Its only place is taken until it tells anew.
    ['goes rather than be refused, where a place is left', { one: { places: FULL }, other: WAITING }, ['two', 'one']],
    ['goes from one that leaves, and once only', { one: { leaving: true, places: FREE }, two: FULL }, ['two']],
  ];
  for (const [what, change, nodes] of CASES) {
    it(what, async () => {
      Object.assign(one, change.one, change.other && { others: [asReplica(two.port, change.other)] });
      Object.assign(two.places, change.two);
      for (const node of nodes) expect((await post()).node).to.equal(node);
    });
  }

  it('bears no mark that a client can make', async () => {
    const { mark } = (await post()).answer as { mark: string };
    expect(mark).to.match(/^[0-9a-f]{64}$/);
    one.others = [asReplica(two.port)];
    expect((await post({ 'x-svc-passed-on': '1' })).node).to.equal('two');
    one.others = [asReplica(two.port)];
    expect((await post({ 'x-svc-passed-on': mark })).node).to.equal('one');
  });

  it('stays when the other cannot be reached: nothing of it was read', async () => {
    one.others = [asReplica(await freePort())];
    expect(await post()).to.deep.include({ node: 'one', status: 202 });
    expect((await post()).answer).to.include({ body: 'content' });
  });

  it('whose replica ends in the middle gets an honest answer', async () => {
    two.handle = (request) => request.socket.destroy();
    const { status, answer } = await post();
    expect(status).to.equal(503);
    const { error } = answer as ErrorResponse;
    expect(error).to.deep.include({ code: 'pool_unavailable', detail: { reason: 'stopping' } });
  });

  it('whose replica ends with nothing but the head of its answer sent gets an honest answer', async () => {
    two.handle = (request, response) => {
      response.setHeader('Content-Length', 100).flushHeaders();
      setTimeout(() => request.socket.destroy(), 50);
    };
    const { status, answer } = await post();
    expect([status, (answer as ErrorResponse).error.code]).to.deep.equal([503, 'pool_unavailable']);
  });

  describe('whose replica dies without a word', () => {
    let network: TcpProxy;
    /** As when the machine loses power: no connection ends, and after a while the database has it no more. */
    const die = () => {
      network.blackHole();
      one.others = [];
    };
    beforeEach(async () => {
      network = await startTcpProxy(two.port);
      one.others = [asReplica(network.port)];
    });
    afterEach(() => network.close());

    it('gets an honest answer once the others know', async () => {
      two.handle = die;
      const { status, answer } = await post();
      expect([status, (answer as ErrorResponse).error.code]).to.deep.equal([503, 'pool_unavailable']);
    });

    it('in the middle of its answer is cut off: what has come is not taken for all of it', async () => {
      two.handle = (_request, response) => void response.write('{"node":"two"');
      const response = await fetch(`http://127.0.0.1:${one.port}/v1/convert`, { method: 'POST', body: 'content' });
      die();
      expect(await response.text().catch((error) => error.message)).to.equal('terminated');
    });
  });

  it('that is refused before its body has arrived is refused at once', async () => {
    two.handle = () => {
      throw new AppError('queue_full', { limit: 1 }, { retryAfter: 7 });
    };
    const head = `POST /v1/convert HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n`;
    for (const expects of ['Expect: 100-continue\r\n', '']) {
      one.others = [asReplica(two.port)];
      const socket = connect(one.port, '127.0.0.1');
      socket.write(`${head}${expects}\r\n${expects ? '' : 'x'.repeat(1000)}`);
      const answer = await text(socket);
      expect(answer)
        .to.match(/^HTTP\/1.1 503 /)
        .and.match(/retry-after: 7/i)
        .and.include('"code":"queue_full"');
    }
  });

  it('that waits to be asked for its body is asked once the other wants it', async () => {
    const socket = connect(one.port, '127.0.0.1');
    socket.write('POST /v1/convert HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n');
    socket.once('data', (bytes) => {
      expect(bytes.toString()).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
      socket.write('body');
      socket.once('data', () => socket.end());
    });
    expect(await text(socket))
      .to.include('"body":"body"')
      .and.include('"node":"two"');
  });

  it('whose client leaves is given up by the other as well', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leaving = new AbortController();
    two.handle = (_request, response) => {
      response.once('close', resolve);
      leaving.abort();
    };
    const sent = fetch(`http://127.0.0.1:${one.port}/v1/convert`, {
      method: 'POST',
      body: 'x',
      signal: leaving.signal,
    });
    expect(await sent.catch((error) => error.name)).to.equal('AbortError');
    await promise;
    two.handle = (_request, response) => void response.json({});
    one.others = [asReplica(two.port)];
    expect((await post()).status).to.equal(200);
    expect(logged).to.deep.equal([]);
  });
});
