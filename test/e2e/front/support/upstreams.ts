import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { listeningPort } from '../../../support/listen.ts';
import { type Behaviour, type Seen, UPSTREAMS, type Upstream } from './control.ts';

/** Small servers in the places of gate, DocBuilder and editor, which note what they get and behave as a test wants. */
export type Upstreams = Awaited<ReturnType<typeof startUpstreams>>;

interface Running {
  server: Server;
  port: number;
  behaviour: Behaviour;
  seen: Seen[];
  sockets: Set<Socket>;
  connections: number;
}

const DISCOVERY = '<wopi-discovery><net-zone name="external-http"/></wopi-discovery>';

export async function startUpstreams() {
  const running = Object.fromEntries(
    await Promise.all(UPSTREAMS.map(async (name) => [name, await start(name)] as const)),
  ) as Record<Upstream, Running>;

  const control = createHttpServer(async (request, response) => {
    const upstream = running[(request.url ?? '').slice(1) as Upstream];
    if (request.method === 'POST') {
      let body = '';
      for await (const chunk of request) body += chunk;
      await behave(upstream, JSON.parse(body) as Behaviour);
    }
    response.end(JSON.stringify(request.method === 'GET' ? upstream.seen.splice(0) : {}));
  });
  const controlPort = await listeningPort(control.listen(0, '127.0.0.1'));

  const addresses = Object.fromEntries(UPSTREAMS.map((name) => [name, `127.0.0.1:${running[name].port}`]));
  return {
    /** `host:port` of each. */
    addresses: addresses as Record<Upstream, string>,
    /** For `remoteControl`. */
    controlUrl: `http://127.0.0.1:${controlPort}`,
    behave: (name: Upstream, behaviour: Behaviour) => behave(running[name], behaviour),
    seen: (name: Upstream) => running[name].seen.splice(0),
    /** Makes all answer 200 again and forget what they have seen. */
    async calm(): Promise<void> {
      for (const upstream of Object.values(running)) {
        await behave(upstream, { status: 200 });
        upstream.seen = [];
      }
    },
    /** Connections made to each so far. */
    connections: (name: Upstream) => running[name].connections,
    stop: async (): Promise<void> => {
      await Promise.all(Object.values(running).map((upstream) => behave(upstream, { down: true })));
      control.closeAllConnections();
      await new Promise((resolve) => control.close(resolve));
    },
  };
}

async function start(name: Upstream): Promise<Running> {
  const upstream: Running = {
    server: createServer(),
    port: 0,
    behaviour: { status: 200 },
    seen: [],
    sockets: new Set(),
    connections: 0,
  };
  upstream.server.on('connection', (socket) => serve(name, upstream, socket));
  upstream.port = await listeningPort(upstream.server.listen(0, '127.0.0.1'));
  return upstream;
}

async function behave(upstream: Running, behaviour: Behaviour): Promise<void> {
  upstream.behaviour = behaviour;
  const down = 'down' in behaviour;
  if (down && upstream.server.listening) {
    const closed = once(upstream.server, 'close');
    upstream.server.close();
    for (const socket of upstream.sockets) socket.destroy();
    await closed;
  }
  if (!down && !upstream.server.listening) {
    const listening = once(upstream.server, 'listening');
    upstream.server.listen(upstream.port, '127.0.0.1');
    await listening;
  }
}

function serve(name: Upstream, upstream: Running, socket: Socket): void {
  upstream.connections++;
  upstream.sockets.add(socket);
  socket.on('close', () => upstream.sockets.delete(socket)).on('error', () => {});
  let head = Buffer.alloc(0);
  let request: Seen | undefined;
  socket.on('data', (chunk) => {
    if (!request) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      request = parseHead(head.subarray(0, end).toString('latin1'));
      upstream.seen.push(request);
      chunk = head.subarray(end + 4);
      head = Buffer.alloc(0);
    }
    request.bytes += chunk.length;
    if (request.bytes < Number(request.headers['content-length'] ?? 0)) return;
    if (request.headers['upgrade'] === 'websocket' && name === 'editor') {
      socket.removeAllListeners('data');
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.pipe(socket);
      return;
    }
    answer(name, upstream.behaviour, request, socket);
    request = undefined;
  });
}

function answer(name: Upstream, behaviour: Behaviour, request: Seen, socket: Socket): void {
  if ('hang' in behaviour) return;
  if ('raw' in behaviour) {
    socket.write(behaviour.raw, 'latin1');
    if (!behaviour.stay) socket.end();
  } else if ('status' in behaviour) {
    const body = name === 'gateInternal' ? '' : readBody(request.target);
    socket.write(`HTTP/1.1 ${behaviour.status} Told\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    if (request.headers['connection'] === 'close') socket.end();
  } else {
    socket.resetAndDestroy();
  }
}

function readBody(target: string): string {
  if (target === '/svc/healthz') return '{"ok":true}';
  return target === '/hosting/discovery' ? DISCOVERY : 'served by the upstream';
}

function parseHead(text: string): Seen {
  const [requestLine = '', ...lines] = text.split('\r\n');
  const [method = '', target = ''] = requestLine.split(' ');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { method, target, headers, bytes: 0 };
}
