import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A slow line: bytes a second in each direction, and milliseconds that each byte is on its way. */
export interface Slowness {
  bytesPerSecond: number;
  delayMs: number;
}

/** The stretch of network between browsers and the service, which can fail in all ways that a network fails. */
export interface Line {
  port: number;
  /** Resets all connections. */
  cut(): void;
  /** Ends all connections in order, as a proxy that is reloaded does. */
  hangUp(): void;
  /** Nothing passes from now on, and nobody is told; without an end to it, connections are refused. */
  lose(how: 'silently' | 'openly'): void;
  /** All passes again. Connections from before are reset. */
  recover(): void;
  /** Undefined: as fast as the machine. */
  setSlowness(slowness: Slowness | undefined): void;
  /** Sends new connections to another port of this machine. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

/** A line from a port of this machine to another. @throws when `port` is in use */
export async function openLine(port: number, target: number): Promise<Line> {
  const sockets = new Set<Socket>();
  const free: Record<'up' | 'down', number> = { up: 0, down: 0 };
  let state: 'open' | 'silently' | 'openly' = 'open';
  let slowness: Slowness | undefined;
  let to = target;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  }

  function join(from: Socket, into: Socket, direction: 'up' | 'down'): void {
    from.pipe(delay(direction)).pipe(into);
    // What ends in order is ended by the pipe, behind the pieces that are still on their way.
    from.on('close', () => from.readableEnded || into.destroy());
  }

  /** All connections share the line: each piece waits until those before it are through. */
  function delay(direction: 'up' | 'down'): Transform {
    let lastArrives = 0;
    return new Transform({
      transform(piece: Buffer, _encoding, next) {
        if (!slowness) return void next(null, piece);
        const now = Date.now();
        free[direction] = Math.max(now, free[direction]) + (1000 * piece.length) / slowness.bytesPerSecond;
        lastArrives = free[direction] + slowness.delayMs;
        setTimeout(() => this.push(piece), lastArrives - now);
        setTimeout(next, free[direction] - now);
      },
      flush: (done) => void setTimeout(done, Math.max(0, lastArrives - Date.now())),
    });
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    if (state === 'openly') return void near.resetAndDestroy();
    if (state === 'silently') return void near.pause();
    const far = keep(connect({ port: to, host: '127.0.0.1', allowHalfOpen: true }));
    join(near, far, 'up');
    join(far, near, 'down');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    hangUp() {
      for (const socket of sockets) socket.end();
    },
    lose(how) {
      state = how;
      if (how === 'openly') return cut();
      for (const socket of sockets) socket.unpipe().removeAllListeners('close').pause();
    },
    recover() {
      state = 'open';
      cut();
      sockets.clear();
    },
    setSlowness(wanted) {
      slowness = wanted;
    },
    leadTo(other) {
      to = other;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
