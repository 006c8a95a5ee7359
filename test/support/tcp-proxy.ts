import { connect, createServer, type Socket } from 'node:net';
import { listeningPort } from './listen.ts';

/** A stretch of network that can fail: bytes pass through it from a port of this machine to another. */
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** @param target port that bytes go to; by default of this machine, and from it */
export async function startTcpProxy(
  target: number,
  { host = '127.0.0.1', on = '127.0.0.1' }: { host?: string; on?: string } = {},
) {
  const open = new Set<Socket>();
  let to = target;
  let holed = false;
  let held = false;

  function keep(socket: Socket): Socket {
    open.add(socket);
    if (held) socket.pause();
    return socket.on('error', () => {}).on('close', () => open.delete(socket));
  }

  function join(from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      if (to.write(bytes)) return;
      from.pause();
      to.once('drain', () => !held && from.resume());
    });
    if (held) from.pause();
    from.on('end', () => to.end());
    from.on('close', () => to.destroy());
  }

  /** Leaves a connection as it is, for ever. */
  function kill(socket: Socket): void {
    socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close');
    socket.pause();
    keep(socket);
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    if (holed) return kill(near);
    const far = keep(connect({ port: to, host, allowHalfOpen: true }));
    join(near, far);
    join(far, near);
  });
  server.listen(0, on);
  const port = await listeningPort(server);
  return {
    port,
    /**
     * From now on nothing passes and no connection is closed, as when a firewall drops all packets. Connections made before or
     * meanwhile stay dead also after `recover`, as when an address translator has forgotten them.
     */
    blackHole(): void {
      holed = true;
      for (const socket of open) kill(socket);
    },
    recover(): void {
      holed = false;
    },
    /** How many lead through it now. */
    connections: () => open.size / 2,
    /** Nothing passes until `release`, and then all of it, as where packets are sent again once the network is back. */
    hold(): void {
      held = true;
      for (const socket of open) socket.pause();
    },
    release(): void {
      held = false;
      for (const socket of open) socket.resume();
    },
    /** Resets all connections. */
    drop(): void {
      for (const socket of open) socket.resetAndDestroy();
    },
    /** Leads new connections to another port. */
    leadTo(other: number): void {
      to = other;
    },
    close(): Promise<void> {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
