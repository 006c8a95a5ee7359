import { WebSocket } from 'undici';
import type { Clock } from '../../../../src/common/clock.ts';
import type { EditorAgent } from '../../../../src/common/editor/fetch-text.ts';
import { logIn, WrongPassword } from '../../../../src/common/editor/login.ts';
import type { Logger } from '../../../../src/common/log.ts';
import { pause } from '../../../../src/common/pause.ts';
import type { EditorState, SamplingHandlers } from '../../domain/ports.ts';
import type { ReadWopiSrc } from '../../domain/wopi-src.ts';
import { readDocuments } from './documents.ts';

const SOCKET = '/cool/adminws';
const CONNECT_MS = 5_000;
/** The time between checks whether a sample is due. */
const LOOK_MS = 1_000;
const REFUSED = new Set(['InvalidAuthToken', 'NotAuthenticated']);
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** Each login costs the editor a slow hash of the password. */
const WRONG_PASSWORD_WAIT_MS = 30_000;

export interface AdminOptions {
  /** SVC_ONLINE_URL, without a slash at its end. */
  url: string;
  adminUser: string;
  adminPassword: string;
  /** For this channel alone. */
  agent: EditorAgent;
  /** Milliseconds between samples. */
  intervalMs: number;
  /** Returns whether somebody waits for the next sample, which is then taken within a second. */
  isUrgent: () => Promise<boolean>;
  readWopiSrc: ReadWopiSrc;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Samples the editor’s list over a WebSocket of its admin console, and reconnects. An answer that cannot be read
 * changes nothing; none within an interval ends the connection. @returns ends it
 */
export function openAdminChannel(options: AdminOptions & SamplingHandlers): () => void {
  const { agent, log, clock, readWopiSrc, previous, onState, onSample } = options;
  const stopping = new AbortController();
  /** The state that was reported last; undefined before the first. */
  let state: EditorState | undefined;
  let last = previous;

  function become(next: EditorState, reason?: Error): void {
    if (next === state) return;
    state = next;
    onState(next);
    if (next === 'ok') {
      log.info('the admin channel works');
      return;
    }
    log.warn(
      { state: next, err: reason },
      `the admin channel does not work, and meanwhile the connection cap is not enforced: ${reason?.message}`,
    );
  }

  function take(text: string): void {
    const sample = readDocuments(text, { at: clock(), previous: last, readWopiSrc });
    if (!sample) {
      log.warn('an answer of the admin channel could not be read');
      return;
    }
    last = sample;
    become('ok');
    onSample(sample);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const before = last;
      const reason = await connectOnce(options, stopping.signal, take).catch((error: Error) => error);
      if (stopping.signal.aborted) return;
      const refused = reason instanceof WrongPassword;
      become(refused ? 'auth_failed' : 'down', reason);
      failures = last === before ? failures + 1 : 0;
      const wait = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS, options.intervalMs);
      await pause(refused ? Math.min(WRONG_PASSWORD_WAIT_MS, 3 * options.intervalMs) : wait, stopping.signal);
    }
  }

  // It rejects only because of a bug in this code, which should be seen.
  void run().finally(() => agent.destroy());
  return () => stopping.abort();
}

/** One login and its socket. Resolves or rejects with the reason of its end. */
async function connectOnce(options: AdminOptions, stopping: AbortSignal, take: (text: string) => void): Promise<Error> {
  const { url, agent, intervalMs, isUrgent, adminUser: user, adminPassword: password } = options;
  const token = await logIn({ url, agent, user, password, signal: stopping });
  const { origin } = new URL(url);
  // Without an Origin that is the server's own the editor answers 403.
  const socket = new WebSocket(url.replace(/^http/, 'ws') + SOCKET, { dispatcher: agent, headers: { origin } });
  const { promise, resolve } = Promise.withResolvers<Error>();
  const stop = (): void => resolve(new Error('stopped'));
  stopping.addEventListener('abort', stop, { once: true });
  const lookMs = Math.min(LOOK_MS, intervalMs);
  let waiting = false;
  let ended = false;
  /** Milliseconds until the next sample. */
  let left = 0;
  let timer = setTimeout(() => resolve(new Error('no socket in time')), CONNECT_MS);

  function ask(): void {
    waiting = true;
    left = intervalMs;
    socket.send('documents');
  }

  async function look(): Promise<void> {
    left -= lookMs;
    if (left <= 0 && waiting) {
      resolve(new Error('no answer in time'));
      return;
    }
    const isDue = left <= 0 || (!waiting && (await isUrgent().catch(() => false)));
    if (ended) return;
    if (isDue) ask();
    timer = setTimeout(look, lookMs);
  }

  socket.addEventListener('open', () => {
    clearTimeout(timer);
    socket.send(`auth jwt=${token}`);
    ask();
    timer = setTimeout(look, lookMs);
  });
  socket.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string') return;
    if (REFUSED.has(data.trim())) resolve(new Error(`the editor says ${data.trim()}`));
    if (!data.startsWith('documents')) return;
    waiting = false;
    take(data);
  });
  socket.addEventListener('error', ({ error }) => resolve(new Error('the socket failed', { cause: error })));
  socket.addEventListener('close', ({ code }) => resolve(new Error(`the editor closed the socket (${code})`)));
  try {
    return await promise;
  } finally {
    ended = true;
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
    if (socket.readyState === WebSocket.CONNECTING || socket.readyState === WebSocket.OPEN) socket.close();
    agent.cut();
  }
}
