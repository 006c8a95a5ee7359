import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import { type ApiClient, createClient } from '../../../../cmd/controller/k8s/client.ts';
import { RESOURCES } from '../../../../cmd/controller/k8s/resources.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { until } from '../../../support/until.ts';
import { failure } from './failure.ts';
import { json, refuse, type StandIn, startStandIn, TOKEN } from './stand-in.ts';

const PATH = '/api/v1/namespaces/one/configmaps';
const MAP: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'one' } };

describe('k8s: client', () => {
  let server: StandIn;
  let client: ApiClient;

  beforeEach(async () => {
    server = await startStandIn();
    client = createClient(server.connection, { timeoutMs: 400 });
  });

  afterEach(async () => {
    client.close();
    await server.close();
  });

  it('creates, reads, replaces, applies and removes', async () => {
    const made = await client.create(RESOURCES.configMap, MAP);
    expect(await client.get(RESOURCES.configMap, 'one', 'a')).to.deep.equal(made);
    const replaced = await client.replace(RESOURCES.configMap, made);
    expect((await failure(client.replace(RESOURCES.configMap, made))).status).to.equal(409);
    await client.apply(RESOURCES.configMap, MAP, { manager: 'me' });
    await client.remove(RESOURCES.configMap, 'one', 'a', replaced.metadata.uid ?? '');
    expect(await client.get(RESOURCES.configMap, 'one', 'a')).to.equal(undefined);
  });

  it('lists in pages, and says the kind of each item', async () => {
    for (const name of ['a', 'b', 'c', 'd']) server.put(PATH, name);
    const first = await client.list(RESOURCES.configMap, { namespace: 'one', limit: 3 });
    expect(first.items.map(({ kind, metadata }) => [kind, metadata.name])).to.deep.equal([
      ['ConfigMap', 'a'],
      ['ConfigMap', 'b'],
      ['ConfigMap', 'c'],
    ]);
    const rest = await client.list(RESOURCES.configMap, {
      namespace: 'one',
      limit: 3,
      continue: first.metadata.continue,
    });
    expect(rest.items.map(({ metadata }) => metadata.name)).to.deep.equal(['d']);
  });

  it('gets no more than metadata where nothing else is asked for', async () => {
    const asked = recorded(server);
    await client.get(RESOURCES.secret, 'one', 'a', { metadataOnly: true }).catch(() => {});
    expect(asked.headers.accept).to.equal('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
  });

  it('applies by server-side apply, forced, under the manager named', async () => {
    const asked = recorded(server);
    await client.apply(RESOURCES.configMap, MAP, { manager: 'me', subresource: 'status' }).catch(() => {});
    expect(asked.method).to.equal('PATCH');
    expect(asked.url).to.equal(`${PATH}/a/status?fieldManager=me&force=true`);
    expect(asked.headers['content-type']).to.equal('application/apply-patch+yaml');
  });

  it('asks for metadata alone in a form that lets no content travel', async () => {
    const asked = recorded(server);
    await client.list(RESOURCES.secret, { metadataOnly: true }).catch(() => {});
    expect(asked.headers.accept).to.equal('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io');
    const options = { metadataOnly: true, resourceVersion: '1', timeoutSeconds: 1, signal: AbortSignal.timeout(1000) };
    await failure(client.watch(RESOURCES.secret, options)[Symbol.asyncIterator]().next());
    expect(asked.headers.accept).to.equal('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
  });

  it('removes the object of that uid alone; one that is gone or has been replaced is no error', async () => {
    const { metadata } = server.put(PATH, 'a');
    await client.remove(RESOURCES.configMap, 'one', 'a', 'another');
    expect(server.objects(PATH)).to.have.lengthOf(1);
    await client.remove(RESOURCES.configMap, 'one', 'a', metadata.uid ?? '');
    await client.remove(RESOURCES.configMap, 'one', 'a', metadata.uid ?? '');
    expect(server.objects(PATH)).to.have.lengthOf(0);
  });

  it('says what a refusal says: status, reason, message and when to come again', async () => {
    server.fault = (_, response) => {
      refuse(response, 429, 'TooManyRequests', { 'retry-after': '7' });
      return true;
    };
    const error = await failure(client.create(RESOURCES.configMap, MAP));
    expect(error).to.be.instanceOf(ApiError);
    expect(error).to.include({ status: 429, reason: 'TooManyRequests', retryAfter: 7 });
    expect(error.message).to.equal(`POST ${PATH}: 429 TooManyRequests said TooManyRequests`);
  });

  it('takes a 404 in plain text, as of a group that is not there, for a refusal too', async () => {
    server.fault = (_, response) => {
      response.writeHead(404).end('404 page not found');
      return true;
    };
    expect(await failure(client.list(RESOURCES.httpRoute, {}))).to.include({ status: 404, reason: '' });
  });

  it('takes an object for absent only when the API server says so, since secrets that are gone are made anew', async () => {
    server.fault = (_, response) => {
      response.writeHead(404).end('404 page not found');
      return true;
    };
    expect(await failure(client.get(RESOURCES.secret, 'one', 'a'))).to.include({ name: 'ApiError', status: 404 });
    server.fault = (_, response) => {
      refuse(response, 404, 'NotFound');
      return true;
    };
    expect(await client.get(RESOURCES.secret, 'one', 'a')).to.equal(undefined);
  });

  for (const [what, answer] of [
    ['a page of a proxy', '<html>welcome</html>'],
    ['nothing', ''],
    ['half an object', '{"kind":'],
  ] as const) {
    it(`takes ${what} with a 200 for no answer of an API server`, async () => {
      server.fault = (_, response) => {
        response.writeHead(200).end(answer);
        return true;
      };
      expect(await failure(client.get(RESOURCES.configMap, 'one', 'a'))).to.include({
        name: 'UnreachableError',
        code: 'ERR_NO_JSON',
      });
    });
  }

  it('takes an object that is no list for no list, since an empty one means that everything is gone', async () => {
    for (const answer of [{ ok: true }, { items: [] }, { metadata: {}, items: [] }]) {
      server.fault = (_, response) => json(response, answer).writableEnded;
      expect(await failure(client.list(RESOURCES.configMap, {}))).to.include({ code: 'ERR_NO_JSON' });
    }
    server.fault = (_, response) => json(response, { metadata: { resourceVersion: '1' }, items: null }).writableEnded;
    expect((await client.list(RESOURCES.configMap, {})).items).to.deep.equal([]);
  });

  it('gives a request up when the answer, or its end, does not come in time', async () => {
    server.fault = () => true;
    expect(await failure(client.get(RESOURCES.configMap, 'one', 'a'))).to.include({ code: 'ETIMEDOUT' });
    server.fault = (_, response) => response.writeHead(200).write('{"kind":') || true;
    expect(await failure(client.get(RESOURCES.configMap, 'one', 'a'))).to.include({ code: 'ETIMEDOUT' });
  });

  it('counts the wait for a connection into the time of a request', async () => {
    const narrow = createClient(server.connection, { timeoutMs: 300, connections: 1 });
    server.fault = () => true;
    const started = performance.now();
    await Promise.all([1, 2, 3].map(() => failure(narrow.get(RESOURCES.configMap, 'one', 'a'))));
    expect(performance.now() - started).to.be.lessThan(800);
    narrow.close();
  });

  it('counts the wait for credentials into the time of a request', async () => {
    const slow = createClient({ ...server.connection, credentials: () => new Promise(() => {}) }, { timeoutMs: 100 });
    expect(await failure(slow.ready())).to.include({ code: 'ETIMEDOUT' });
  });

  it('rejects what runs and what waits when it is closed', async () => {
    const narrow = createClient(server.connection, { connections: 1 });
    server.fault = () => true;
    const running = [1, 2].map(() => failure(narrow.get(RESOURCES.configMap, 'one', 'a')));
    await until('the first is there', () => server.requests.length === 1 || undefined);
    narrow.close();
    for (const error of await Promise.all(running)) expect(error).to.include({ code: 'ECANCELED' });
  });

  it('opens a watch of its own beside requests, however many there are', async () => {
    const narrow = createClient(server.connection, { connections: 1 });
    const stop = new AbortController();
    const options = { namespace: 'one', resourceVersion: '1', timeoutSeconds: 60, signal: stop.signal };
    const watches = Array.from({ length: 20 }, () =>
      narrow.watch(RESOURCES.configMap, options)[Symbol.asyncIterator](),
    );
    const first = watches.map((watch) => watch.next());
    await until('all are open', () => server.watches() === 20 || undefined);
    await narrow.create(RESOURCES.configMap, MAP);
    for (const { value } of await Promise.all(first)) expect(value.object.metadata.name).to.equal('a');
    stop.abort();
    await until('all are closed', () => server.watches() === 0 || undefined);
    narrow.close();
  });

  it('ends a watch with the reason of an abort, with an error when it breaks, without one when the server ends it', async () => {
    const stop = new AbortController();
    const open = async () => {
      const seen = collect(client, stop.signal);
      await until('it is open', () => server.watches() === 1 || undefined);
      return { seen };
    };
    const ended = await open();
    server.endWatches();
    expect(await ended.seen).to.deep.equal([]);
    const broken = await open();
    server.cut();
    expect(await failure(broken.seen)).to.include({ name: 'UnreachableError', code: 'ECONNRESET' });
    const aborted = await open();
    stop.abort(new Error('enough'));
    expect(await failure(aborted.seen)).to.include({ message: 'enough' });
  });

  it('gives up a watch that does not open in time', async () => {
    server.fault = () => true;
    expect(await failure(collect(client, AbortSignal.timeout(5000)))).to.include({ code: 'ETIMEDOUT' });
  });

  it('uses one connection for one request after the other', async () => {
    for (let count = 0; count < 10; count += 1) await client.get(RESOURCES.configMap, 'one', 'a');
    expect(server.connections()).to.equal(1);
  });

  it('asks again, over a new connection, when the server closes a kept one in the same moment', async () => {
    await client.ready();
    let cut = 0;
    server.fault = (request) => {
      if (cut > 0) return undefined;
      cut += 1;
      request.socket.resetAndDestroy();
      return true;
    };
    await client.list(RESOURCES.configMap, { namespace: 'one' });
    expect(cut).to.equal(1);
  });

  it('uses none of its idle connections any more when one of them turned out to be dead', async () => {
    const sockets = new Set<unknown>();
    server.delayMs = 50;
    server.fault = ({ socket }) => !sockets.add(socket);
    await Promise.all([client.ready(), client.ready(), client.ready()]);
    expect(sockets.size).to.equal(3);
    server.delayMs = 0;
    server.fault = ({ socket }) => sockets.has(socket);
    expect(await failure(client.ready())).to.include({ code: 'ETIMEDOUT' });
    await client.ready();
  });

  it('leaves connections that may be dead when it is told to, and sends again what waits on them', async () => {
    const sockets = new Set<unknown>();
    server.fault = ({ socket }) => !sockets.add(socket);
    await client.ready();
    server.fault = ({ socket }) => sockets.has(socket);
    const waiting = client.ready();
    await new Promise((resolve) => setTimeout(resolve, 20));
    client.reconnect();
    await waiting;
    await client.ready();
  });

  it('does not send a POST twice', async () => {
    await client.ready();
    server.fault = (request) => {
      if (request.method === 'POST') request.socket.resetAndDestroy();
      return request.method === 'POST';
    };
    expect(await failure(client.create(RESOURCES.configMap, MAP))).to.include({ code: 'ECONNRESET' });
    expect(server.requests.filter((request) => request.startsWith('POST'))).to.have.lengthOf(1);
  });

  it('attack: no error holds the token, whatever goes wrong', async () => {
    const errors: Error[] = [];
    const faults = [
      (request: IncomingMessage) => request.socket.resetAndDestroy(),
      (_: IncomingMessage, response: Parameters<typeof refuse>[0]) => refuse(response, 500, 'InternalError'),
      () => {},
    ];
    for (const fault of faults) {
      server.fault = (request, response) => {
        fault(request, response);
        return true;
      };
      errors.push(await failure(client.create(RESOURCES.configMap, MAP)), await failure(collect(client)));
    }
    const newline = { ...server.connection, credentials: async () => ({ authorization: `Bearer ${TOKEN}\nx` }) };
    errors.push(await failure(createClient(newline).ready()));
    await server.close();
    errors.push(await failure(client.ready()));
    for (const error of errors) {
      expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.to.contain(TOKEN);
    }
    expect(errors.at(-1)).to.include({ name: 'UnreachableError', code: 'ECONNREFUSED' });
  });
});

/** The request that comes next, refused. */
function recorded(server: StandIn): Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  const asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'> = { headers: {} };
  server.fault = ({ method, url, headers }, response) => {
    Object.assign(asked, { method, url, headers });
    json(response, { kind: 'List', metadata: {}, items: [] });
    return true;
  };
  return asked;
}

async function collect(client: ApiClient, signal = AbortSignal.timeout(5000)): Promise<unknown[]> {
  const events: unknown[] = [];
  const options = { namespace: 'one', resourceVersion: '1', timeoutSeconds: 60, signal };
  for await (const event of client.watch(RESOURCES.configMap, options)) events.push(event);
  return events;
}
