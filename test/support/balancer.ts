import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { listeningPort } from './listen.ts';
import { until } from './until.ts';

const TRIES = 8;

/** Leads connections to one of several servers. One that does not connect is asked last from then on. */
export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

interface Server {
  port: number;
  host: string;
  /** Open connections. */
  count: number;
}

/** @param rotates whether each connection goes to another server than the one before */
export async function startBalancer({ rotates = true, connectMs = 30_000 } = {}) {
  const servers: Server[] = [];
  const open = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on('error', () => {}).on('close', () => open.delete(socket));
  };
  const putLast = (server: Server) => {
    const index = servers.indexOf(server);
    if (index >= 0) servers.push(...servers.splice(index, 1));
  };

  /** Connects to one server after the other. */
  async function reach(): Promise<Socket | undefined> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [server] = servers;
      if (server === undefined) return undefined;
      if (rotates) putLast(server);
      const far = keep(connect({ port: server.port, host: server.host, allowHalfOpen: true }));
      const connected = once(far, 'connect').then(
        () => true,
        () => false,
      );
      if (await Promise.race([connected, delay(connectMs, false, { ref: false })])) {
        server.count += 1;
        return far.on('close', () => (server.count -= 1));
      }
      far.destroy();
      // Another connection there may lead to another pod of it, but the next server may be quicker.
      putLast(server);
    }
    return undefined;
  }

  const door = createServer({ allowHalfOpen: true, pauseOnConnect: true }, async (near) => {
    keep(near);
    const far = await reach();
    if (!far || near.destroyed) return void (far ?? near).destroy();
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  const port = await listeningPort(door.listen(0, '127.0.0.1'));
  return {
    port,
    add: (to: number, host = '127.0.0.1') => void servers.push({ port: to, host, count: 0 }),
    /** Nothing new goes there. Resolves when what is open has ended by itself. */
    async remove(from: number): Promise<void> {
      const index = servers.findIndex((server) => server.port === from);
      const [server] = servers.splice(index, 1);
      await until('its connections have ended', () => server?.count === 0, 30_000);
    },
    close(): Promise<void> {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => door.close(() => resolve()));
    },
  };
}
