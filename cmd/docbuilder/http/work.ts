import type { Request, RequestHandler, Response } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { badRequest } from '../../../src/common/errors.ts';
import { baseUrlOf } from '../../../src/common/http/base-url.ts';
import { writeContinue } from '../../../src/common/http/continue.ts';
import { readJson, saysJson } from '../../../src/common/http/json.ts';
import type { HeldJson, JsonLoad } from '../../../src/common/http/json-load.ts';
import type { Checked } from '../../../src/common/schema.ts';
import type { Intake } from '../domain/intake.ts';
import type { JobRegistry } from '../domain/job-registry.ts';
import type { Work } from '../domain/jobs.ts';
import type { JobQueue } from '../domain/queue.ts';
import type { SourceFile } from '../domain/sources.ts';
import { type FormShape, formValue } from './form-value.ts';
import { sendJob } from './send-job.ts';
import { receiveForm, type Uploads } from './upload.ts';

export interface WorkHandlers {
  intake: Intake;
  queue: JobQueue;
  registry: JobRegistry;
  uploads: Uploads;
  /** What JSON of all requests together may take. */
  jsonLoad: JsonLoad;
  baseUrl: string | undefined;
  audit: Audit;
}

/** What every body of a work request may say. */
interface Common {
  async?: boolean;
  callback_url?: string;
}

/** A work request as it arrived. */
export interface Arrived<Body> {
  body: Body;
  /** Uploaded files by the name of their part. */
  files: ReadonlyMap<string, SourceFile>;
  request: Request;
}

/** One of the endpoints that take work. */
export interface Endpoint<Body extends Common> {
  check: (value: unknown) => Checked<Body>;
  /** How a form stands for the JSON body; without it only JSON is taken. */
  form?: FormShape & { files: readonly string[] };
  /** What is not in the body yet, such as a JSON file of a form. Called before `check`. */
  complete?: (value: unknown, files: ReadonlyMap<string, SourceFile>, held: HeldJson) => Promise<unknown> | unknown;
  /** Largest JSON body, bytes. */
  maxJsonBytes: () => number;
  /** Makes the job. The files are its own from then on. @throws {AppError} whatever can be said at once */
  work: (arrived: Arrived<Body>) => Work;
  /** Whether the job may first have to fetch something that takes its time. */
  fetches: (arrived: Arrived<Body>) => boolean;
}

/** A small JSON body: it holds an address and options. */
export const SMALL_JSON = (): number => 1024 * 1024;

/** Accepts a request of one of the work endpoints and answers with its result (contract: DocBuilder endpoints). */
export function postWork<Body extends Common>(deps: WorkHandlers, endpoint: Endpoint<Body>): RequestHandler {
  return async (request, response) => {
    const gone = whenClosed(response);
    // A request that would only wait to be refused is refused before its body is read.
    deps.queue.assertRoom();
    const { arrived, work } = await receive(request, response, deps, endpoint);
    const submission = {
      async: arrived.body.async ?? false,
      callbackUrl: arrived.body.callback_url,
      baseUrl: baseUrlOf(request, deps.baseUrl),
    };
    try {
      await deps.intake.check(submission);
    } catch (error) {
      await work.dispose();
      throw error;
    }
    const fetches = endpoint.fetches(arrived);
    const job = await deps.intake.accept(work, { ...submission, fetches }, gone);
    deps.audit.record('job.accepted', { job: job.id, kind: job.kind, async: submission.async });
    await sendJob(request, response, { job, async: submission.async, registry: deps.registry });
  };
}

/** Reads a request and makes its work, which keeps what the request's JSON takes until it is disposed of. */
async function receive<Body extends Common>(
  request: Request,
  response: Response,
  { uploads, jsonLoad }: WorkHandlers,
  endpoint: Endpoint<Body>,
): Promise<{ arrived: Arrived<Body>; work: Work }> {
  const held = jsonLoad.open(uploads.maxBytes());
  try {
    const { value, files } = await readRequest(request, response, uploads, endpoint, held);
    const arrived = { body: value, files, request };
    const work = await orRemove(files, uploads, () => endpoint.work(arrived));
    const dispose = (): Promise<void> => {
      held.release();
      return work.dispose();
    };
    return { arrived, work: { ...work, dispose } };
  } catch (error) {
    held.release();
    throw error;
  }
}

async function readRequest<Body extends Common>(
  request: Request,
  response: Response,
  uploads: Uploads,
  { check, form, complete = (value) => value, maxJsonBytes }: Endpoint<Body>,
  held: HeldJson,
): Promise<{ value: Body; files: ReadonlyMap<string, SourceFile> }> {
  assertPlain(request);
  writeContinue(request, response);
  const checked = async (value: unknown, files: ReadonlyMap<string, SourceFile>): Promise<Body> => {
    const result = check(await complete(value, files, held));
    if (!result.ok) throw badRequest(...result.mistakes);
    return result.value;
  };
  if (form && request.is('multipart/form-data')) {
    const { fields, files } = await receiveForm(request, uploads, form.files);
    return orRemove(files, uploads, async () => ({ value: await checked(formValue(fields, form), files), files }));
  }
  if (saysJson(request)) {
    const files = new Map<string, SourceFile>();
    return { value: await checked(await readJson(request, uploads.idleMs, maxJsonBytes(), held), files), files };
  }
  const ways = form ? 'multipart/form-data có tệp, hoặc application/json có url' : 'application/json';
  throw badRequest({ path: '', message: `hãy gửi ${ways}` });
}

/** Compressed, a body would only look like a broken form or broken JSON. Other words, such as `utf-8`, are sent by mistake. */
function assertPlain(request: Request): void {
  if (!/\b(?:gzip|deflate|br|zstd|compress)\b/i.test(request.headers['content-encoding'] ?? '')) return;
  throw badRequest({ path: '', message: 'Content-Encoding không được hỗ trợ: hãy gửi nội dung không nén' });
}

async function orRemove<Result>(
  files: ReadonlyMap<string, SourceFile>,
  uploads: Uploads,
  action: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    await Promise.all([...files.values()].map(({ path }) => uploads.remove(path)));
    throw error;
  }
}

/** Aborts when the connection closes before the answer was sent. */
function whenClosed(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
