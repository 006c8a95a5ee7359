import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listeningPort } from './listen.ts';

/** A real HTTP proxy for CONNECT (RFC 9110, 9.3.6) that knows where each address is in the test. */
export type ConnectProxy = Awaited<ReturnType<typeof startConnectProxy>>;

/** @param routes where an authority really leads to: a port of this machine; any other is refused with 403 */
export async function startConnectProxy(routes: Readonly<Record<string, number>>) {
  const asked: string[] = [];
  const open = new Set<Socket>();
  let authorization: string | undefined;
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.on('connect', (request, near, head) => {
    asked.push(request.url ?? '');
    authorization = request.headers['proxy-authorization'];
    const port = routes[request.url ?? ''];
    if (port === undefined) return void near.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const far = connect(port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.write(head);
      far.pipe(near).pipe(far);
    });
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  const port = await listeningPort(server);
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    /** The authorities that it was asked to connect to, in order. */
    asked,
    /** `Proxy-Authorization` of the last request. */
    authorization: () => authorization,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
