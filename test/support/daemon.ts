import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

const LOG_TAIL = 2000;

/** A program that runs until it is stopped, or until this process ends in whichever way. */
export interface Daemon {
  child: ChildProcess;
  /** Resolves once it has ended. */
  ended: Promise<unknown>;
  /** The end of what it wrote. */
  log(): string;
  /** Asks it to end, and resolves once it has. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface DaemonOptions {
  command: string;
  parameters: readonly string[];
  /** Where stdout and stderr go; appended to. */
  logFile: string;
  cwd: string;
  environment?: Readonly<Record<string, string>>;
}

/** Starts a program that the kernel kills when this process ends, even by SIGKILL. */
export function startDaemon({ command, parameters, logFile, cwd, environment = {} }: DaemonOptions): Daemon {
  const output = openSync(logFile, 'a');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', command, ...parameters], {
    stdio: ['ignore', output, output],
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...environment },
  });
  closeSync(output);
  const ended = once(child, 'exit');
  return {
    child,
    ended,
    log: () => readFileSync(logFile, 'utf8').slice(-LOG_TAIL),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}
