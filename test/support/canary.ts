import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TEST_TLS } from './tls.ts';
import { useStarted } from './use-started.ts';

/** A real server on the loopback network that counts who comes. */
export type Canary = Awaited<ReturnType<typeof startCanary>>;

/** Starts a server that answers with `answer`; by default 200 and `canary`. */
export async function startCanary(
  answer: RequestListener = (_request, response) => void response.end('canary'),
  options: { host?: string; port?: number; tls?: boolean } = {},
) {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    response.on('error', () => {});
    answer(request, response);
  };
  const server: Server = options.tls ? createTlsServer(TEST_TLS, listener) : createServer(listener);
  let connections = 0;
  let open = 0;
  server.on('connection', (socket) => {
    connections++;
    open++;
    socket.on('error', () => {}).on('close', () => open--);
  });
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests: requests as readonly IncomingMessage[],
    /** TCP connections so far: a refused URL must not cause even one. */
    get connections() {
      return connections;
    },
    /** Connections that are open now. */
    get open() {
      return open;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts one for the suite around the call. */
export const useCanary = (...how: Parameters<typeof startCanary>): Canary =>
  useStarted(
    () => startCanary(...how),
    ({ close }) => close(),
  );

/** Starts servers for one test each. */
export function useServers(): typeof startCanary {
  const servers: Canary[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
  return async (answer, options) => {
    const server = await startCanary(answer, options);
    servers.push(server);
    return server;
  };
}
