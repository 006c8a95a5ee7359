import { createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocbuilderStatus, ErrorResponse } from '../../src/common/generated/wire.ts';
import { createLogger } from '../../src/common/log.ts';
import { startLocalDocbuilder } from '../support/docbuilder.ts';
import { writeLicense } from '../support/license.ts';
import { findDescendants, readProcess } from '../support/processes.ts';

/** The service's answer to one request. */
export interface Answer {
  /** 0 when the connection was dropped, 1 when no answer came in time. */
  status: number;
  code?: string;
  /** `detail.reason`, or the whole detail of an error. */
  reason?: string;
  ms: number;
  /** Milliseconds that the engine took to load and store. */
  engineMs?: number;
  /** Workers that died of it; absent where none did. */
  deaths?: number;
}

export interface Service {
  /** POSTs a form with the file. */
  send(
    path: string,
    file: Uint8Array,
    name: string,
    fields: Record<string, string>,
  ): Promise<Answer & { body: Buffer }>;
  status(): Promise<DocbuilderStatus>;
  /** Stops the service and says what it left behind: temporary files, and processes of this one's. */
  stop(): Promise<{ files: string[]; processes: string[] }>;
}

/** Longer than the service may take for a request in the foreground. */
const HANG_MS = 120_000;
const DAY_SECONDS = 86_400;

/**
 * DocBuilder with an Enterprise licence and default settings, on a port of its own.
 * @param folder for its data; removed when it stops
 * @param log the file that its log goes to
 */
export async function startService(folder: string, workers: number, log: string): Promise<Service> {
  const before = childProcesses();
  const dataDir = join(folder, 'data');
  const kept = keepLog(log);
  const logger = createLogger({ service: 'docbuilder', level: 'info', destination: kept });
  const license = await writeLicense(folder, { expiresIn: 7 * DAY_SECONDS });
  const settings = { SVC_DOCBUILDER_DATA_DIR: dataDir, SVC_DOCBUILDER_WORKERS: String(workers), ...license };
  const { docbuilder, call } = await startLocalDocbuilder(settings, logger);

  return {
    async send(path, file, name, fields) {
      const body = new FormData();
      body.append('file', new Blob([Buffer.from(file)]), name);
      for (const [field, value] of Object.entries(fields)) body.append(field, value);
      const started = performance.now();
      try {
        const signal = AbortSignal.timeout(HANG_MS);
        const response = await call(path, { method: 'POST', body, signal });
        const content = Buffer.from(await response.arrayBuffer());
        const ms = performance.now() - started;
        const deaths = kept.countDeaths(response.headers.get('x-svc-request-id') ?? '');
        return { ...toAnswer(response, content), ...(deaths > 0 && { deaths }), ms: Math.round(ms), body: content };
      } catch (error) {
        const hung = (error as Error).name === 'TimeoutError';
        return { status: hung ? 1 : 0, ms: Math.round(performance.now() - started), body: Buffer.alloc(0) };
      }
    },
    status: async () => (await call('/v1/status')).json() as Promise<DocbuilderStatus>,
    async stop() {
      await docbuilder.stop();
      const files = [...(await filesIn(join(dataDir, 'tmp'))), ...(await filesIn(join(dataDir, 'workers')))];
      const processes = childProcesses().filter((line) => !before.includes(line));
      kept.end();
      await rm(folder, { recursive: true, force: true });
      return { files, processes };
    },
  };
}

/** The service's log, as a file; counts the workers that died by the request that they died of. */
function keepLog(path: string) {
  const file = createWriteStream(path, { flags: 'a' });
  const deaths = new Map<string, number>();
  return {
    write(line: string) {
      file.write(line);
      if (!line.includes('a worker died during a job')) return;
      const { requestId } = JSON.parse(line) as { requestId: string };
      deaths.set(requestId, (deaths.get(requestId) ?? 0) + 1);
    },
    countDeaths: (requestId: string) => deaths.get(requestId) ?? 0,
    end: () => file.end(),
  };
}

function toAnswer(response: Response, content: Buffer): Omit<Answer, 'ms'> {
  const { status, headers } = response;
  if (status !== 200) {
    const { code, detail } = (JSON.parse(content.toString()) as ErrorResponse).error;
    return { status, code, reason: toReason(detail) };
  }
  const engineMs = Number(/\bengine;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1]);
  return { status, engineMs: Math.round(engineMs) };
}

/** Returns the reason of an error. */
export function toReason(detail: object): string {
  return 'reason' in detail ? String(detail.reason) : JSON.stringify(detail);
}

async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder, { recursive: true }).catch(() => []);
}

/** Processes that this one, or one that it started, has started: `pid name`. */
function childProcesses(): string[] {
  return findDescendants(process.pid).map((pid) => `${pid} ${readProcess(pid, 'comm').trim()}`);
}
