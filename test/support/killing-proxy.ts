import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, type Dispatcher, request } from 'undici';
import type { ApiServer } from './api-server.ts';
import { portOf } from './listen.ts';

/** Stands before an API server and counts what is written through it. */
export interface KillingProxy {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Calls `kill` when the API server has done the n-th write, before anybody hears of it. */
  killAfter(n: number, kill: () => void): void;
  /** Writes since the last `killAfter`. Leases and events are no writes. */
  writes(): number;
  close(): Promise<void>;
}

export async function startKillingProxy({ url, ca, token }: ApiServer): Promise<KillingProxy> {
  const agent = new Agent({ connect: { ca }, bodyTimeout: 0 });
  let writes = 0;
  let limit = Number.POSITIVE_INFINITY;
  let kill = (): void => undefined;

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const stopping = new AbortController();
    response.once('close', () => stopping.abort());
    const answer = await request(url + path, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        authorization: `Bearer ${token}`,
        accept: headers.accept ?? '*/*',
        ...(headers['content-type'] && { 'content-type': headers['content-type'] }),
      },
      ...(method !== 'GET' && { body: incoming }),
      dispatcher: agent,
      signal: stopping.signal,
    });
    if (method !== 'GET' && !/\/(leases|events)\b/.test(path)) {
      writes += 1;
      if (writes === limit) kill();
      if (writes >= limit) return void response.destroy();
    }
    response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) });
    answer.body.on('error', () => response.destroy()).pipe(response);
  }

  const server = createServer((incoming, response) => {
    forward(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${await portOf(server)}`,
    killAfter(n, how) {
      writes = 0;
      limit = n;
      kill = how;
    },
    writes: () => writes,
    async close() {
      server.closeAllConnections();
      server.close();
      await agent.destroy();
    },
  };
}
