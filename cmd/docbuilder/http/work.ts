import { readFile, stat } from 'node:fs/promises';
import type { Request, RequestHandler, Response } from 'express';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import { getBaseUrl } from '../../../src/common/http/base-url.ts';
import { writeContinue } from '../../../src/common/http/continue.ts';
import { readJsonText, saysJson } from '../../../src/common/http/json.ts';
import { JsonAllocation, type JsonMemory } from '../../../src/common/http/json-memory.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { JobService } from '../jobs/jobs.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { Work } from '../jobs/work.ts';
import type { SourceFile } from '../source/sources.ts';
import { type Bodies, type BodyKind, type BodyReader, DATA, type Incoming } from './bodies.ts';
import { readForm, type UploadLimits } from './form.ts';
import { sendJob } from './jobs.ts';

export interface WorkHandlers {
  jobs: JobService;
  queue: JobQueue;
  store: JobStore;
  uploads: UploadLimits;
  /** The temporary files of one request. */
  temporaryFiles(): { newPath(): string; remove(): Promise<void> };
  readBody: BodyReader;
  /** Bounds the memory that JSON of all requests takes together. */
  jsonMemory: JsonMemory;
  baseUrl: string | undefined;
}

/** A work request. */
export interface Arrived<Body> {
  body: Body;
  /** The JSON of the body; empty for a form. */
  text: Uint8Array;
  /** Uploaded files by the name of their part. */
  files: ReadonlyMap<string, SourceFile>;
  request: Request;
}

/** A work endpoint. */
export interface Endpoint<Kind extends BodyKind> {
  kind: Kind;
  /** Names of the parts of a form that may be files; without them only JSON is accepted. */
  files?: readonly string[];
  /** Largest JSON body, bytes. */
  maxJsonBytes: () => number;
  /** Makes the job. @throws {AppError} for mistakes that show without fetching */
  work: (arrived: Arrived<Bodies[Kind]>) => Work;
  /** Returns whether the job may have to fetch its source. */
  fetches: (arrived: Arrived<Bodies[Kind]>) => boolean;
}

type Received = Pick<Arrived<unknown>, 'files'> & { incoming: Incoming };

const NO_JSON = Buffer.alloc(0);

/** Handles a request of a work endpoint (contract: DocBuilder endpoints). */
export function postWork<Kind extends BodyKind>(deps: WorkHandlers, endpoint: Endpoint<Kind>): RequestHandler {
  return async (request, response) => {
    const clientGone = whenClosed(response);
    // Before the body is read.
    deps.queue.assertRoom();
    const json = new JsonAllocation(deps.jsonMemory, deps.uploads.maxBytes());
    const files = deps.temporaryFiles();
    const release = (): Promise<void> => {
      json.release();
      return files.remove();
    };
    const read = async () => {
      assertPlain(request);
      writeContinue(request, response);
      const { incoming, ...received } = await readRequest(request, deps.uploads, endpoint, json, files.newPath);
      const body = await deps.readBody(endpoint.kind, incoming, clientGone);
      const arrived = { body, text: 'json' in incoming ? incoming.json : NO_JSON, files: received.files, request };
      return { arrived, work: endpoint.work(arrived) };
    };
    const { arrived, work } = await read().catch(async (error) => {
      await release();
      throw error;
    });
    const { async = false, callback_url: callbackUrl } = arrived.body;
    const baseUrl = getBaseUrl(request, deps.baseUrl);
    const fetches = endpoint.fetches(arrived);
    const job = await deps.jobs.accept(
      work,
      { newPath: files.newPath, release },
      { async, callbackUrl, baseUrl, fetches, clientGone },
    );
    try {
      await sendJob(request, response, { job, async, store: deps.store });
    } finally {
      if (!async) await deps.jobs.answered(job.id);
    }
  };
}

/** The beginning of a form without files, as `curl -d` sends it. */
const URL_ENCODED = /^[\w.]+=/;

async function readRequest(
  request: Request,
  uploads: UploadLimits,
  { files: names, maxJsonBytes }: Pick<Endpoint<BodyKind>, 'files' | 'maxJsonBytes'>,
  json: JsonAllocation,
  newPath: () => string,
): Promise<Received> {
  if (names && request.is('multipart/form-data')) {
    const { fields, files } = await readForm(request, uploads, names, newPath);
    return { incoming: await withData(fields, files, json), files };
  }
  if (saysJson(request)) {
    const text = await readJsonText(request, uploads.idleMs, maxJsonBytes(), json);
    if (!names || !URL_ENCODED.test(text.toString('latin1', 0, 100)))
      return { incoming: { json: text }, files: new Map() };
  }
  const ways = names ? 'multipart/form-data có tệp, hoặc application/json có url' : 'application/json';
  throw badRequest({ path: '', message: `hãy gửi ${ways}` });
}

/** Adds the data of a form, a field or a file. */
async function withData(
  fields: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, SourceFile>,
  json: JsonAllocation,
): Promise<Incoming> {
  json.count(Buffer.from(fields.get(DATA) ?? ''));
  const file = files.get(DATA);
  if (!file) return { fields };
  json.reserve((await stat(file.path)).size);
  const data = await readFile(file.path);
  json.count(data);
  return { fields, data };
}

/** Refuses a compressed body. Other words, such as `utf-8`, are sent by mistake. */
function assertPlain(request: Request): void {
  if (!/\b(?:gzip|deflate|br|zstd|compress)\b/i.test(request.headers['content-encoding'] ?? '')) return;
  throw badRequest({ path: '', message: 'Content-Encoding không được hỗ trợ: hãy gửi nội dung không nén' });
}

/** Returns a signal that aborts when the connection closes before the answer is sent. */
function whenClosed(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new AppError('timeout', { scope: 'client_gone' }));
  });
  return controller.signal;
}
