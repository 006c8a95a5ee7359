import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../../cmd/local/port.ts';
import { onRelease } from '../releases.ts';
import { plainEnvironment, timeCommand } from './command.ts';

const VENV = resolve(import.meta.dirname, '../../.cache/unoserver-venv/bin');
const CLIENT = join(import.meta.dirname, 'unoserver_client.py');

/**
 * unoserver, kept running, and two ways to ask it. Both hand over paths, so no file goes through a socket; both throw
 * when it cannot convert a file.
 */
export interface Unoserver {
  /** Its XML-RPC, called by a client process that is kept running. */
  call(path: string): Promise<{ ms: number; output: string }>;
  /** Its command `unoconvert`, as its README shows it. */
  command(path: string): Promise<{ ms: number; output: string }>;
  stop(): Promise<void>;
}

/** Starts unoserver (scripts/setup.sh bench installs it) with the LibreOffice in `program`; its start takes 7 s. */
export async function startUnoserver(program: string, directory: string): Promise<Unoserver> {
  const home = join(directory, 'unoserver');
  await mkdir(join(home, 'out'), { recursive: true });
  const env = plainEnvironment(home);
  const [port = '', unoPort = ''] = (await freePorts(2)).map(String);
  const server = spawn(
    join(VENV, 'unoserver'),
    [
      ...['--executable', join(program, 'soffice'), '--user-installation', join(home, 'profile'), '--quiet'],
      ...['--interface', '127.0.0.1', '--port', port, '--uno-port', unoPort],
    ],
    { env, stdio: 'ignore', detached: true },
  );
  const client = spawn(join(VENV, 'python'), [CLIENT, `http://127.0.0.1:${port}`], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = Promise.all([once(server, 'close'), once(client, 'close')]);
  const stop = onRelease(async () => {
    client.stdin.end();
    // The group: soffice's launcher does not pass signals on.
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGKILL');
    await ended;
  });
  const answers = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> => {
    const { value, done } = await answers.next();
    if (done) throw new Error('unoserver does not answer');
    return JSON.parse(value);
  };
  await next();

  const target = (path: string): string => join(home, 'out', `${basename(path, extname(path))}.pdf`);
  return {
    stop,
    async call(path) {
      const output = target(path);
      client.stdin.write(`${JSON.stringify({ input: path, output })}\n`);
      const { ms, error } = await next();
      if (error !== undefined) throw new Error(`unoserver: ${error}`);
      return { ms: Number(ms), output };
    },
    async command(path) {
      const output = target(path);
      const parameters = ['--port', port, '--convert-to', 'pdf', path, output];
      return { ms: await timeCommand(join(VENV, 'unoconvert'), parameters, env), output };
    },
  };
}
