import type { Message } from './lines.ts';
import { startProcess, type WorkerProcess } from './worker-process.ts';

/** A worker's process and its messages. */
export interface Conversation extends Pick<WorkerProcess, 'send' | 'kill' | 'ended' | 'errorOutput'> {
  /** The next message with `member`; undefined when the worker ends first, or `ms` pass. */
  next(member: string, ms?: number): Promise<Message | undefined>;
  /** The reason of its end, where it could still send one: a message with `died` or `refused`. */
  lastWords(): Message | undefined;
}

/** A worker says two things a job. One that a document has taken over may say anything. */
const MOST_UNREAD = 16;

/** Starts a worker's process and keeps its messages until they are asked for; one that sends too many is killed. */
export async function converse(command: readonly string[], environment: Record<string, string>): Promise<Conversation> {
  const unread: Message[] = [];
  let lastWords: Message | undefined;
  let wake: () => void = () => undefined;
  let over = false;
  const child = await startProcess(command, environment, (message) => {
    if ('died' in message || 'refused' in message) lastWords = message;
    else if (unread.length < MOST_UNREAD) unread.push(message);
    else child.kill();
    wake();
  });
  void child.ended.then(() => {
    over = true;
    wake();
  });

  function take(member: string): Message | undefined {
    const index = unread.findIndex((message) => member in message);
    return index < 0 ? undefined : unread.splice(0, index + 1).at(-1);
  }

  function next(member: string, ms?: number): Promise<Message | undefined> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => done(undefined), ms);
      const done = (message: Message | undefined) => {
        clearTimeout(timer);
        wake = () => undefined;
        resolve(message);
      };
      wake = () => {
        const message = take(member);
        if (message || over) done(message);
      };
      wake();
    });
  }

  return { ...child, next, lastWords: () => lastWords };
}
