import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'undici';
import type { Environment } from '../../src/common/config.ts';
import type { DocbuilderStatus } from '../../src/common/generated/wire.ts';
import { licensed } from '../../test/support/license.ts';
import { ready, spawnService } from '../../test/support/process.ts';
import { onRelease } from '../releases.ts';

const BOUNDARY = 'svc-bench-6f1a2c';
const STOP_MS = 20_000;

export interface Source {
  name: string;
  bytes: Uint8Array;
}

/** One request, ready to be sent: its body is made before anything is measured. */
export interface Call {
  path: string;
  contentType: string;
  body: Buffer;
}

export interface Answer {
  status: number;
  /** From the first byte sent to the last one received. */
  ms: number;
  /** The engine's own time to load and store, as the service says (Server-Timing). NaN when it failed. */
  engineMs: number;
  content: Buffer;
}

/** DocBuilder as a process of its own with the Enterprise plan, spoken to over connections that are kept. */
export interface Service {
  pid: number;
  dataDir: string;
  send(call: Call): Promise<Answer>;
  status(): Promise<DocbuilderStatus>;
  /** Closes the idle connections; new ones are made when needed. */
  disconnect(): Promise<void>;
  stop(): Promise<void>;
}

/** A form with the part `file` and fields (RFC 7578). */
export function formCall(path: string, source: Source, fields: Record<string, string>): Call {
  const part = (name: string, rest: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${rest}`;
  const texts = Object.entries(fields).map(([name, value]) => part(name, `\r\n\r\n${value}\r\n`));
  const file = part('file', `; filename="${source.name}"\r\nContent-Type: application/octet-stream\r\n\r\n`);
  return {
    path,
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.concat([Buffer.from(texts.join('') + file), source.bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  };
}

export function convertCall(source: Source, to: string): Call {
  return formCall('/v1/convert', source, { to });
}

export function jsonCall(path: string, value: unknown): Call {
  return { path, contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

/** Sends a request that must be answered with 200. */
export async function sendOk(service: Service, call: Call): Promise<Answer> {
  const answer = await service.send(call);
  if (answer.status !== 200) throw new Error(`${call.path}: ${answer.content.toString().slice(0, 500)}`);
  return answer;
}

/** Starts a service below `directory` and waits until it answers. */
export async function startService(directory: string, environment: Environment = {}): Promise<Service> {
  const home = await mkdtemp(join(directory, 'service-'));
  const dataDir = join(home, 'data');
  const license = await licensed(join(home, 'license'));
  const process = await spawnService({ SVC_DOCBUILDER_DATA_DIR: dataDir, ...license, ...environment });
  const { child, url, key } = process;
  let pool = new Pool(url);

  const stop = onRelease(async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await process.ended;
    clearTimeout(late);
    await pool.destroy();
    await rm(home, { recursive: true, force: true });
  });
  await ready(process);

  return {
    pid: child.pid ?? 0,
    dataDir,
    stop,
    async send({ path, contentType, body }) {
      const started = performance.now();
      const {
        statusCode,
        headers,
        body: answer,
      } = await pool.request({
        method: 'POST',
        path,
        headers: { authorization: `Bearer ${key}`, 'content-type': contentType },
        body,
      });
      const content = Buffer.from(await answer.arrayBuffer());
      const ms = performance.now() - started;
      return { status: statusCode, ms, engineMs: engineMs(headers['server-timing']), content };
    },
    status: async () => (await process.call('/v1/status')).json() as Promise<DocbuilderStatus>,
    async disconnect() {
      const old = pool;
      pool = new Pool(url);
      await old.close();
    },
  };
}

function engineMs(header: string | string[] | undefined): number {
  return Number(/\bengine;dur=([\d.]+)/.exec(String(header))?.[1] ?? Number.NaN);
}
