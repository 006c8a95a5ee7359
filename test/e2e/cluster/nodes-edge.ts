import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { portOf } from '../../support/listen.ts';

/** As edges have it: who does not connect within this time is not asked. */
const CONNECT_MS = 1_000;
const TRIES = 8;

/** Leads connections to the same port of one of several nodes. */
export interface NodesEdge {
  port: number;
  close(): void;
}

/** Starts an edge before a NodePort. A node that takes no connection comes last from then on. */
export async function startNodesEdge(addresses: readonly string[], nodePort: number): Promise<NodesEdge> {
  const order = [...addresses];
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    return socket.on('error', () => {}).on('close', () => open.delete(socket));
  };
  const reach = async (): Promise<Socket | undefined> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [host = ''] = order;
      const far = keep(connect({ host, port: nodePort, allowHalfOpen: true }));
      const isOpen = await Promise.race([
        once(far, 'connect').then(
          () => true,
          () => false,
        ),
        delay(CONNECT_MS, false),
      ]);
      if (isOpen) return far;
      far.destroy();
      // Another connection there may lead to another pod, but the next one may be quicker.
      order.push(...order.splice(order.indexOf(host), 1));
    }
    return undefined;
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, async (near) => {
    keep(near);
    const far = await reach();
    if (!far) return void near.destroy();
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  const port = await portOf(server.listen(0, '127.0.0.1'));
  const close = () => {
    for (const socket of open) socket.destroy();
    server.close();
  };
  return { port, close };
}
