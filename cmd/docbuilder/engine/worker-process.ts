import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isObject } from '../../../src/common/is-object.ts';

/** A line from a worker; believed only as far as its types were checked. */
export type Message = Record<string, unknown>;

const MAX_LINE_BYTES = 64 * 1024;
/** A worker says two things a job. One that a document has taken over may say anything. */
const MOST_UNREAD = 16;
const KEPT_ERROR_OUTPUT = 4096;
const KILL_AGAIN_MS = 1_000;

/**
 * A running worker: a group of processes that is spoken to in JSON lines and ended all at once. Its messages are kept
 * until they are asked for; one that sends too many, or a line that is none, is killed.
 */
export class WorkerProcess {
  /** Resolves when all of the worker has ended, however that came. */
  readonly ended: Promise<void>;
  /** The reason of its end, where it could still send one: a message with `died` or `refused`. */
  lastWords: Message | undefined;
  /** The end of what it wrote to stderr. */
  errorOutput = '';
  readonly #pid: number;
  readonly #input: Writable;
  readonly #unread: Message[] = [];
  /**
   * A process that should be killed first, because killing it ends the others in order. It is named by a message with
   * `leader`, on stdout or as bubblewrap's `child-pid` on descriptor 3.
   */
  #leader: number | undefined;
  /** The first process has ended; all have. */
  #isOver = false;
  #hasEnded = false;
  #wake: () => void = () => undefined;

  private constructor(pid: number, { stdio }: ChildProcess, ended: Promise<void>) {
    const [input, output, errors, information] = stdio as unknown as [Writable, Readable, Readable, Readable];
    this.#pid = pid;
    this.#input = input;
    this.ended = ended;
    void ended.then(() => {
      this.#hasEnded = true;
      this.#wake();
    });
    // The worker's death shows as its end; a pipe that breaks a moment earlier says nothing more.
    for (const stream of [input, output, information]) stream.on('error', () => undefined);
    readLines(output, (message) => (message ? this.#receive(message) : this.kill()));
    information.setEncoding('utf8').on('data', (text: string) => {
      this.#leader = Number(/"child-pid": (\d+)/.exec(text)?.[1] ?? this.#leader) || undefined;
    });
    errors.setEncoding('utf8').on('data', (chunk: string) => {
      this.errorOutput = (this.errorOutput + chunk).slice(-KEPT_ERROR_OUTPUT);
    });
  }

  /** Starts `command` in a process group of its own. @throws when it cannot be started at all */
  static async start(command: readonly string[], environment: Record<string, string>): Promise<WorkerProcess> {
    const [file = '', ...parameters] = command;
    const child = spawn(file, parameters, {
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.on('error', () => undefined);
    if (child.pid === undefined) throw new Error('the worker has no process');
    const worker = new WorkerProcess(child.pid, child, ended);
    // The rest of the group, where the first process ended before the others.
    child.once('exit', () => {
      worker.#isOver = true;
      signal(-worker.#pid);
    });
    return worker;
  }

  send(message: object): void {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }

  /** The next message with `member`; undefined when the worker ends first, or `ms` pass. */
  next(member: string, ms?: number): Promise<Message | undefined> {
    return new Promise((resolve) => {
      const finish = (message?: Message): void => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve(message);
      };
      const timer = ms === undefined ? undefined : setTimeout(finish, ms);
      this.#wake = () => {
        const index = this.#unread.findIndex((message) => member in message);
        if (index >= 0) finish(this.#unread.splice(0, index + 1).at(-1));
        else if (this.#hasEnded) finish();
      };
      this.#wake();
    });
  }

  /** SIGKILL to all of it, in an order that leaves no process without a parent that collects it. */
  kill(): void {
    if (this.#isOver) return;
    const killGroup = () => signal(-this.#pid);
    if (this.#leader === undefined) killGroup();
    else signal(this.#leader);
    const again = setTimeout(killGroup, KILL_AGAIN_MS);
    void this.ended.then(() => clearTimeout(again));
  }

  #receive(message: Message): void {
    // Said once, before the first document; what is said later may be a document's doing.
    if (this.#leader === undefined && typeof message['leader'] === 'number') this.#leader = message['leader'];
    else if ('died' in message || 'refused' in message) this.lastWords = message;
    else if (this.#unread.length < MOST_UNREAD) this.#unread.push(message);
    else this.kill();
    this.#wake();
  }
}

/** Calls `receive` with each JSON line of `stream`, and with nothing, once, when a line is too long or no JSON object. */
function readLines(stream: Readable, receive: (message?: Message) => void): void {
  let rest = '';
  let isBroken = false;
  const take = (message: Message | undefined): void => {
    isBroken = message === undefined;
    receive(message);
  };
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    if (isBroken) return;
    rest += chunk;
    for (let end = rest.indexOf('\n'); end >= 0 && !isBroken; end = rest.indexOf('\n')) {
      take(parse(rest.slice(0, end)));
      rest = rest.slice(end + 1);
    }
    if (rest.length > MAX_LINE_BYTES && !isBroken) take(undefined);
  });
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
