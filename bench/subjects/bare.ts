import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Pool } from 'undici';
import { GATE_FLAGS, NODE_ENVIRONMENT } from '../../src/common/node-flags.ts';
import { onRelease } from '../releases.ts';
import { send } from '../send.ts';

const MAIN = resolve(import.meta.dirname, 'bare-process.ts');

type Ports = Pick<Bare, 'port' | 'expressPort'>;

/** The least that a process of Node can do, in a process of its own that is started as the gate is. */
export interface Bare {
  /** Its HTTP server answers every request with 200 and `{}`; a PUT once its body is hashed and safely on disk. */
  port: number;
  /** The same process has the route of `/svc/auth` in express, which admits everybody without a question. */
  expressPort: number;
  /** Sends a PUT. @returns milliseconds from the first byte sent to the answer */
  put(bytes: Uint8Array): Promise<number>;
  stop(): Promise<void>;
}

/** @param folder where it writes */
export async function startBare(folder: string): Promise<Bare> {
  const child = fork(MAIN, [folder], {
    execArgv: [...GATE_FLAGS],
    env: { ...NODE_ENVIRONMENT, PATH: process.env['PATH'] },
  });
  const stop = onRelease(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  });
  const ended = once(child, 'close').then(() => {
    throw new Error('the bare process has ended');
  });
  ended.catch(() => {});
  const [{ port, expressPort }] = (await Promise.race([once(child, 'message'), ended])) as [Ports];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  return {
    port,
    expressPort,
    async stop() {
      await pool.destroy();
      await stop();
    },
    put: (bytes) => send(pool, { method: 'PUT', path: '/', body: bytes }),
  };
}
