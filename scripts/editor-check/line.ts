import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A slow line: bytes a second in each direction, and milliseconds that each byte is on its way. */
export interface Slowness {
  bytesPerSecond: number;
  delayMs: number;
}

type Direction = 'up' | 'down';

/** Opens a line from a port of this machine to another. @throws when `port` is in use */
export async function openLine(port: number, target: number): Promise<Line> {
  const line = new Line(target);
  line.server.listen(port, '127.0.0.1');
  await once(line.server, 'listening');
  return line;
}

/** The stretch of network between browsers and the service, which can fail in all ways that a network fails. */
export class Line {
  readonly server = createServer({ allowHalfOpen: true }, (near) => this.#connect(near));
  readonly #sockets = new Set<Socket>();
  readonly #free: Record<Direction, number> = { up: 0, down: 0 };
  #state: 'open' | 'silently' | 'openly' = 'open';
  #slowness: Slowness | undefined;
  #target: number;

  constructor(target: number) {
    this.#target = target;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Resets all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Ends all connections in order, as a proxy that is reloaded does. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.end();
  }

  /** Lets nothing pass from now on, without notice; `openly` connections are refused. */
  lose(how: 'silently' | 'openly'): void {
    this.#state = how;
    if (how === 'openly') this.cut();
    else {
      for (const socket of this.#sockets) socket.unpipe().removeAllListeners('close').pause();
    }
  }

  /** Lets all pass again. Connections from before are reset. */
  recover(): void {
    this.#state = 'open';
    this.cut();
    this.#sockets.clear();
  }

  /** @param slowness undefined: as fast as the machine */
  setSlowness(slowness: Slowness | undefined): void {
    this.#slowness = slowness;
  }

  /** Sends new connections to another port of this machine. */
  leadTo(port: number): void {
    this.#target = port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  #connect(near: Socket): void {
    this.#keep(near);
    if (this.#state === 'openly') return void near.resetAndDestroy();
    if (this.#state === 'silently') return void near.pause();
    const far = this.#keep(connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true }));
    this.#join(near, far, 'up');
    this.#join(far, near, 'down');
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
  }

  #join(from: Socket, into: Socket, direction: Direction): void {
    from.pipe(this.#delay(direction)).pipe(into);
    // The pipe ends what ends in order, behind the pieces that are still on their way.
    from.on('close', () => from.readableEnded || into.destroy());
  }

  /** All connections share the line: each piece waits until those before it are through. */
  #delay(direction: Direction): Transform {
    const free = this.#free;
    const getSlowness = () => this.#slowness;
    /** Timers that end at the same time fire in any order. */
    let arrived = Promise.resolve();
    return new Transform({
      transform(piece: Buffer, _encoding, next) {
        const slowness = getSlowness();
        if (!slowness) return void next(null, piece);
        const now = Date.now();
        free[direction] = Math.max(now, free[direction]) + (1000 * piece.length) / slowness.bytesPerSecond;
        const before = arrived;
        arrived = delay(free[direction] + slowness.delayMs - now)
          .then(() => before)
          .then(() => void this.push(piece));
        setTimeout(next, free[direction] - now);
      },
      flush: (done) => void arrived.then(() => done()),
    });
  }
}
