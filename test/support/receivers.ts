import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { signCallback } from '../../src/common/crypto/signature.ts';
import { secret } from './logs.ts';
import { listen } from './process.ts';
import { until } from './until.ts';

const FOLDER = resolve(import.meta.dirname, '../../examples/receivers');

/** How each receiver of `examples/receivers` is started. */
const RECEIVERS = {
  node: [process.execPath, join(FOLDER, 'node/receiver.mjs')],
  python: ['python3', '-B', join(FOLDER, 'python/receiver.py')],
} as const;

export type ReceiverKind = keyof typeof RECEIVERS;
export const RECEIVER_KINDS = Object.keys(RECEIVERS) as ReceiverKind[];

/** Two secrets and an API key, as a receiver's settings. */
export function receiverKeys() {
  const random = () => secret(randomBytes(16).toString('hex'));
  return { CALLBACK_SECRET: random(), CALLBACK_SECRET_OLD: random(), SVC_API_KEY: random() };
}

/** A receiver as a process of its own, with its own folder. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Differences from a correct request. A header that is null is left out. */
export interface SendOptions {
  secret?: string;
  /** Seconds by which the sender's clock is ahead. */
  ahead?: number;
  headers?: Record<string, string | null>;
  method?: string;
  path?: string;
}

export async function startReceiver(kind: ReceiverKind, environment: Record<string, string>) {
  const directory = environment['RECEIVER_DIR'] ?? (await mkdtemp(join(tmpdir(), 'svc-receiver-')));
  const { child, log, ended } = spawnReceiver(kind, { RECEIVER_DIR: directory, ...environment });
  const port = await until('the receiver listens', () => {
    if (child.exitCode !== null) throw new Error(`ended early:\n${log()}`);
    return /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log())?.[1];
  });
  const url = `http://127.0.0.1:${port}/callbacks`;
  const lines = (...texts: string[]) =>
    log()
      .split('\n')
      .filter((line) => texts.every((text) => line.includes(text)));
  return {
    ...{ url, directory, child, log },
    /** Logged lines that hold all the texts. */
    lines,
    /** The first of them, once there is one. */
    logged: (...texts: string[]) => until(`a line with ${texts.join(', ')}`, () => lines(...texts)[0]),
    /** A file that it downloaded. */
    kept: (name: string) => readFile(join(directory, 'files', name)),
    /** Sends an event as the service does, except for `options`. */
    send: (body: object | string | Buffer, event: string, options: SendOptions = {}) =>
      send(url, environment['CALLBACK_SECRET'] ?? '', body, event, options),
    /** Ends it at once, keeps its folder if asked to. */
    stop: async ({ keep } = { keep: false }): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
      if (!keep) await rm(directory, { recursive: true, force: true });
    },
  };
}

export function spawnReceiver(kind: ReceiverKind, environment: Record<string, string>) {
  const [command, ...args] = RECEIVERS[kind];
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], RECEIVER_LISTEN: '127.0.0.1:0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, ...listen(child) };
}

async function send(
  url: string,
  secret: string,
  body: object | string | Buffer,
  event: string,
  options: SendOptions,
): Promise<number> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const timestamp = Math.floor(Date.now() / 1000) + (options.ahead ?? 0);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'X-SVC-Event': event,
    'X-SVC-Delivery': randomUUID(),
    'X-SVC-Timestamp': String(timestamp),
    'X-SVC-Signature': signCallback(options.secret ?? secret, timestamp, bytes),
    ...options.headers,
  };
  const method = options.method ?? 'POST';
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null);
  const init = { method, headers: Object.fromEntries(given), ...(method === 'POST' && { body: bytes }) };
  const response = await fetch(new URL(options.path ?? url, url), init);
  await response.arrayBuffer();
  return response.status;
}
