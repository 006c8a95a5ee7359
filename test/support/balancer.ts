import { connect, createServer, type Socket } from 'node:net';
import { portOf } from './listen.ts';
import { until } from './until.ts';

/** Spreads connections over ports of this machine, one after the other; who does not answer is passed over. */
export interface Balancer {
  port: number;
  add(target: number): void;
  /** Nothing new goes there. Resolves when what is open has ended by itself. */
  remove(target: number): Promise<void>;
  close(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const targets: number[] = [];
  const open = new Set<Socket>();
  /** Open connections of each target. */
  const counts = new Map<number, number>();
  let turn = 0;
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.on('error', () => {}).on('close', () => open.delete(socket));
  };

  /** Connects to one target after the other. */
  function lead(near: Socket, left: readonly number[]): void {
    const [target, ...others] = left;
    if (target === undefined) return void near.destroy();
    const far = keep(connect({ port: target, host: '127.0.0.1', allowHalfOpen: true }));
    const next = () => lead(near, others);
    far.once('close', next);
    far.once('connect', () => {
      far.off('close', next);
      counts.set(target, (counts.get(target) ?? 0) + 1);
      far.on('close', () => counts.set(target, (counts.get(target) ?? 0) - 1));
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      near.pipe(far).pipe(near);
    });
  }

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    turn = (turn + 1) % Math.max(1, targets.length);
    lead(keep(near), [...targets.slice(turn), ...targets.slice(0, turn)]);
  });
  server.listen(0, '127.0.0.1');
  const port = await portOf(server);
  return {
    port,
    add: (target) => void targets.push(target),
    async remove(target) {
      targets.splice(targets.indexOf(target), 1);
      await until('its connections have ended', () => !counts.get(target) || undefined, 30_000);
    },
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
