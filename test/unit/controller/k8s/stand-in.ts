import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import type { WatchEvent } from '../../../../cmd/controller/k8s/client.ts';
import { ApiClient } from '../../../../cmd/controller/k8s/client.ts';
import { listeningPort } from '../../../support/listen.ts';
import { secret } from '../../../support/logs.ts';

export const TOKEN = secret('token-of-the-stand-in');

/** Answers a request in a way of its own; or not at all, by returning nothing or false, and then the stand-in answers. */
export type Fault = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

export type StandIn = Awaited<ReturnType<typeof startStandIn>>;

const PAGE = 3;

/**
 * A STAND-IN for an API server, only so that it can be made to misbehave: objects of any kind in memory, lists in
 * pages, watches, optimistic concurrency. What a real one does is tested in test/e2e/watches.test.ts.
 */
export async function startStandIn(tls?: { key: string; cert: string }) {
  const collections = new Map<string, Map<string, KubernetesObject>>();
  const history: { version: number; path: string; event: WatchEvent<KubernetesObject> }[] = [];
  const watches = new Map<ServerResponse, string>();
  const requests: string[] = [];
  const settings = {
    /** Asked before each request. */
    fault: undefined as Fault | undefined,
    /** Milliseconds before each answer. */
    delayMs: 0,
  };
  let version = 100;
  let oldest = 0;
  let accepted = 0;

  const at = (path: string): Map<string, KubernetesObject> => {
    const found = collections.get(path) ?? new Map<string, KubernetesObject>();
    collections.set(path, found);
    return found;
  };

  function happened(path: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubernetesObject): KubernetesObject {
    const now: KubernetesObject = { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } };
    if (type === 'DELETED') at(path).delete(object.metadata.name);
    else at(path).set(object.metadata.name, now);
    history.push({ version, path, event: { type, object: now } });
    for (const [response, watched] of watches) if (watched === path) response.write(line({ type, object: now }));
    return now;
  }

  function remove(path: string, name: string): void {
    const found = at(path).get(name);
    version += 1;
    if (found) happened(path, 'DELETED', found);
  }

  function write(path: string, object: KubernetesObject): KubernetesObject {
    version += 1;
    const { name } = object.metadata;
    const before = at(path).get(name);
    const uid = before?.metadata.uid ?? `uid-${version}`;
    const metadata = { namespace: 'one', ...object.metadata, uid, managedFields: [{ manager: 'x' }] };
    return happened(path, before ? 'MODIFIED' : 'ADDED', { ...object, metadata });
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: string): ServerResponse {
    const url = new URL(request.url ?? '', 'http://x');
    requests.push(`${request.method} ${request.url}`);
    if (settings.fault?.(request, response, body)) return response;
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return refuse(response, 401, 'Unauthorized');
    if (url.pathname === '/readyz') return response.end('ok');
    if (request.method === 'GET' && url.searchParams.has('watch')) return watch(url, response);
    const collection = /\/[a-z]+s$/.test(url.pathname);
    const path = collection ? url.pathname : url.pathname.replace(/\/[^/]+$/, '');
    const name = collection ? '' : (url.pathname.split('/').at(-1) ?? '');
    if (request.method === 'GET' && collection) return list(url, response);
    const found = at(path).get(name);
    const sent = body === '' ? undefined : (JSON.parse(body) as KubernetesObject);
    if (request.method === 'GET') return found ? json(response, found) : refuse(response, 404, 'NotFound');
    if (request.method === 'DELETE') {
      if (!found) return refuse(response, 404, 'NotFound');
      const { preconditions } = sent as unknown as { preconditions: { uid: string } };
      if (preconditions.uid !== found.metadata.uid) return refuse(response, 409, 'Conflict');
      remove(path, name);
      return json(response, { kind: 'Status', status: 'Success' });
    }
    if (!sent) return refuse(response, 400, 'BadRequest');
    const conflict =
      request.method === 'POST' ? at(path).has(sent.metadata.name) : isStale(request.method, found, sent);
    if (conflict) return refuse(response, 409, 'Conflict');
    if (request.method === 'PUT' && !found) return refuse(response, 404, 'NotFound');
    return json(response, write(path, sent));
  }

  function list(url: URL, response: ServerResponse): ServerResponse {
    const all = [...at(url.pathname).values()];
    const start = Number(url.searchParams.get('continue') ?? 0);
    const size = url.searchParams.has('limit') ? PAGE : all.length;
    const items = all.slice(start, start + size).map(({ apiVersion, kind, ...item }) => item);
    const next = start + size < all.length ? { continue: `${start + size}` } : {};
    return json(response, { kind: 'List', metadata: { resourceVersion: `${version}`, ...next }, items });
  }

  function watch(url: URL, response: ServerResponse): ServerResponse {
    const from = Number(url.searchParams.get('resourceVersion'));
    if (from < oldest) return refuse(response, 410, 'Expired');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const entry of history) {
      if (entry.path === url.pathname && entry.version > from) response.write(line(entry.event));
    }
    watches.set(response, url.pathname);
    const end = setTimeout(() => finish(response), 1000 * Number(url.searchParams.get('timeoutSeconds')));
    return response.on('close', () => {
      clearTimeout(end);
      watches.delete(response);
    });
  }

  function finish(response: ServerResponse): void {
    watches.delete(response);
    response.end();
  }

  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    if (settings.delayMs > 0) await wait(settings.delayMs);
    answer(request, response, body);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void listen(request, response).catch(() => response.destroy());
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.on('connection', () => {
    accepted += 1;
  });
  server.listen(0, '127.0.0.1');
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${await listeningPort(server)}`;
  /** Sends to all open watches. */
  const send = (text: string): void => [...watches.keys()].forEach((response) => void response.write(text));
  return Object.assign(settings, {
    ...{ url, remove, send, kubeConfig: kubeConfigFor(url) },
    /** Method and URL of each request so far. */
    requests,
    /** Connections accepted so far. */
    connections: () => accepted,
    /** Writes an object as somebody else would; a new one where there is none. */
    put: (path: string, name: string, data: Record<string, unknown> = {}) =>
      write(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'one' }, ...data }),
    objects: (path: string) => [...at(path).values()],
    /** Forgets all history: a watch from an older version gets a 410. */
    compact() {
      history.length = 0;
      oldest = version + 1;
      version += 1;
    },
    bookmark() {
      version += 1;
      send(line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: `${version}` } } }));
    },
    /** Ends all open watches in order. */
    endWatches: () => [...watches.keys()].forEach(finish),
    /** Cuts all connections. */
    cut: () => server.closeAllConnections(),
    watches: () => watches.size,
    close(): Promise<void> {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
}

/** A kubeconfig of somebody who has a token; certificates are not looked at. */
export function kubeConfigFor(server: string, token: string = TOKEN): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'test', server, skipTLSVerify: true }, { name: 'test', token });
  return config;
}

export function json(response: ServerResponse, value: unknown): ServerResponse {
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function refuse(response: ServerResponse, status: number, reason: string, headers = {}): ServerResponse {
  const body = { kind: 'Status', status: 'Failure', code: status, reason, message: `said ${reason}` };
  return response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function isStale(method: string | undefined, found: KubernetesObject | undefined, sent: KubernetesObject): boolean {
  return method === 'PUT' && found?.metadata.resourceVersion !== sent.metadata.resourceVersion;
}

/** Gives each test of the suite around the call a stand-in and a client of it. @param timeoutMs of the client */
export function useStandIn(timeoutMs = 12_000): { server: StandIn; client: ApiClient } {
  const at = {} as { server: StandIn; client: ApiClient };
  beforeEach(async () => {
    at.server = await startStandIn();
    at.client = new ApiClient(at.server.kubeConfig, { timeoutMs });
  });
  afterEach(async () => {
    at.client.close();
    await at.server.close();
  });
  return at;
}
