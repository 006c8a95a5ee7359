import { connect, createServer, type Socket } from 'node:net';
import { portOf } from './listen.ts';

/** Spreads connections over ports of this machine, one after the other; who does not answer is passed over. */
export interface Balancer {
  port: number;
  add(target: number): void;
  /** Nothing new goes there; what is open stays. */
  remove(target: number): void;
  close(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const targets: number[] = [];
  const open = new Set<Socket>();
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
    far.once('connect', () => {
      near.on('close', () => far.destroy());
      far.removeAllListeners('close').on('close', () => near.destroy());
      near.pipe(far).pipe(near);
    });
    far.once('close', () => lead(near, others));
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
    remove: (target) => void targets.splice(targets.indexOf(target), 1),
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
