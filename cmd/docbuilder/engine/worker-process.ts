import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isObject } from '../../../src/common/is-object.ts';

/** A line from a worker, whose members are of any type. */
export type Message = Record<string, unknown>;

const MAX_LINE_BYTES = 64 * 1024;
/** A worker sends two messages a job. One that a document has taken over may send anything. */
const MOST_UNREAD = 16;
const KEPT_ERROR_OUTPUT = 4096;
const KILL_AGAIN_MS = 1_000;

/**
 * A running worker: a process group that exchanges JSON lines with the service. Messages are kept until `next` asks for
 * them; a worker that sends too many, or a line that is no JSON object, is killed.
 */
export class WorkerProcess {
  /** Resolves when all of the group has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** The last message with `died` or `refused`, which is the reason of its end. */
  lastWords: Message | undefined;
  /** The end of what it wrote to stderr. */
  errorOutput = '';
  readonly #pid: number;
  readonly #input: Writable;
  #line = '';
  readonly #unread: Message[] = [];
  /**
   * The process to kill first, because its death ends the others in order. A message with `leader` names it, or
   * bubblewrap's `child-pid` on descriptor 3.
   */
  #leader: number | undefined;
  #isKilled = false;
  /** The first process has ended; the rest of the group may not have. */
  #isOver = false;
  #hasEnded = false;
  #wake: () => void = () => undefined;

  private constructor(child: ChildProcess, ended: Promise<void>) {
    const [input, output, errors, information] = child.stdio as unknown as [Writable, Readable, Readable, Readable];
    this.#pid = child.pid as number;
    this.#input = input;
    this.ended = ended;
    child.once('exit', () => {
      this.#isOver = true;
      signal(-this.#pid);
    });
    void ended.then(() => {
      this.#hasEnded = true;
      this.#wake();
    });
    // A pipe that breaks shows the worker's death, which `ended` reports.
    for (const stream of [input, output, information]) stream.on('error', () => undefined);
    output.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
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
    await once(child, 'spawn');
    child.on('error', () => undefined);
    return new WorkerProcess(child, ended);
  }

  send(message: object): void {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves with the next message that has `member`; with undefined when the worker ends first, or `ms` pass. */
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

  /** Kills all of it, in an order that leaves no process without a parent that collects it. */
  kill(): void {
    this.#isKilled = true;
    if (this.#isOver) return;
    signal(this.#leader ?? -this.#pid);
    const again = setTimeout(() => signal(-this.#pid), KILL_AGAIN_MS);
    void this.ended.then(() => clearTimeout(again));
  }

  #read(chunk: string): void {
    if (this.#isKilled) return;
    const lines = (this.#line + chunk).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) if (!this.#isKilled) this.#receive(parse(line));
    if (this.#line.length > MAX_LINE_BYTES) this.kill();
  }

  #receive(message: Message | undefined): void {
    // The leader is sent once, before the first document; a later one may be a document's doing.
    if (!message) this.kill();
    else if (this.#leader === undefined && typeof message['leader'] === 'number') this.#leader = message['leader'];
    else if ('died' in message || 'refused' in message) this.lastWords = message;
    else if (this.#unread.length < MOST_UNREAD) this.#unread.push(message);
    else this.kill();
    this.#wake();
  }
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
