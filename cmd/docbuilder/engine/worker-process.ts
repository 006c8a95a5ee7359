import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type Message, readLines } from './lines.ts';

const KEPT_ERROR_OUTPUT = 4096;
const KILL_AGAIN_MS = 1_000;

/** A running worker: a group of processes that is spoken to in JSON lines and ended all at once. */
export interface WorkerProcess {
  send(message: object): void;
  /** SIGKILL to all of it, in an order that leaves no process without a parent that collects it. */
  kill(): void;
  /** Resolves when all of the worker has ended, however that came. */
  ended: Promise<void>;
  /** The end of what it wrote to stderr. */
  errorOutput(): string;
}

/**
 * Starts `command` in a process group of its own. All that it says goes to `receive`; a line that is none kills it.
 * A process that should be killed first, because killing it ends the others in order, is named by a message with
 * `leader`, on stdout or as bubblewrap's `child-pid` on descriptor 3.
 * @throws when it cannot be started at all
 */
export async function startProcess(
  command: readonly string[],
  environment: Record<string, string>,
  receive: (message: Message) => void,
): Promise<WorkerProcess> {
  const [file = '', ...parameters] = command;
  const child = spawn(file, parameters, { env: environment, stdio: ['pipe', 'pipe', 'pipe', 'pipe'], detached: true });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const { pid } = child;
  if (pid === undefined) throw new Error('the worker has no process');
  let leader: number | undefined;
  let over = false;
  let errors = '';

  const killGroup = () => signal(-pid);

  function kill(): void {
    if (over) return;
    if (leader === undefined) killGroup();
    else signal(leader);
    const again = setTimeout(killGroup, KILL_AGAIN_MS);
    void ended.then(() => clearTimeout(again));
  }

  child.on('error', () => undefined);
  // The worker's death shows as its end; a pipe that breaks a moment earlier says nothing more.
  child.stdin.on('error', () => undefined);
  // The rest of the group, where the first process ended before the others.
  child.once('exit', () => {
    over = true;
    killGroup();
  });
  readLines(
    child.stdout,
    (message) => {
      // Said once, before the first document; what is said later may be a document's doing.
      if (leader === undefined && typeof message['leader'] === 'number') leader = message['leader'];
      else receive(message);
    },
    kill,
  );
  const information = child.stdio[3] as Readable;
  information.setEncoding('utf8').on('error', () => undefined);
  information.on('data', (text: string) => {
    leader = Number(/"child-pid": (\d+)/.exec(text)?.[1] ?? leader) || undefined;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-KEPT_ERROR_OUTPUT);
  });
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    kill,
    ended,
    errorOutput: () => errors,
  };
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
