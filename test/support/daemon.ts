import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

const LOG_TAIL = 2000;

export type Daemon = ReturnType<typeof startDaemon>;

interface DaemonOptions {
  command: string;
  parameters: readonly string[];
  /** Where stdout and stderr go; appended to. */
  logFile: string;
  cwd: string;
  environment?: Readonly<Record<string, string>>;
}

/** Starts a program that the kernel kills when this process ends, even by SIGKILL. */
export function startDaemon({ command, parameters, logFile, cwd, environment = {} }: DaemonOptions) {
  const output = openSync(logFile, 'a');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', command, ...parameters], {
    stdio: ['ignore', output, output],
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...environment },
  });
  closeSync(output);
  const ended = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    ...{ child, ended, isRunning },
    /** The end of what it wrote. */
    log: () => readFileSync(logFile, 'utf8').slice(-LOG_TAIL),
    /** Asks it to end, and resolves once it has. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      if (isRunning()) child.kill(signal);
      await ended;
    },
  };
}
