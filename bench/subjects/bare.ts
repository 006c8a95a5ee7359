import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Pool } from 'undici';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/common/node-flags.ts';
import { cpuSeconds } from '../process-usage.ts';
import { onRelease } from '../releases.ts';
import { send } from '../send.ts';

const MAIN = resolve(import.meta.dirname, 'bare-process.ts');

/** The least that a process of Node can do, in a process of its own that is started as the services are. */
export interface Bare {
  /** Of an HTTP server that answers every request with 200 and `{}`; a PUT once what it brought is written. */
  port: number;
  /** Writes a file as safely as a save is. @returns milliseconds */
  write(round: number): Promise<number>;
  /** Has it write bytes that it gets over HTTP. @returns milliseconds from the first byte sent to the answer */
  receive(bytes: Uint8Array): Promise<number>;
  /** CPU time used so far, seconds. */
  cpu(): number;
  stop(): Promise<void>;
}

/**
 * @param folder where it writes
 * @param content a file with the bytes that it writes, all but the first of them: those are the round's number
 */
export async function startBare(folder: string, content: string): Promise<Bare> {
  const child = fork(MAIN, [folder, content], {
    execArgv: [...NODE_FLAGS],
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
  const next = async (): Promise<number> => ((await Promise.race([once(child, 'message'), ended])) as [number])[0];
  const port = await next();
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  return {
    port,
    async stop() {
      await pool.destroy();
      await stop();
    },
    receive: (bytes) => send(pool, { method: 'PUT', path: '/', body: bytes }),
    cpu: () => cpuSeconds(child.pid),
    write(round) {
      const answer = next();
      child.send(round);
      return answer;
    },
  };
}
