import type { Request, RequestHandler, Response } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import { baseUrlOf } from '../../../src/common/http/base-url.ts';
import { writeContinue } from '../../../src/common/http/continue.ts';
import { readJsonText, saysJson } from '../../../src/common/http/json.ts';
import type { HeldJson, JsonLoad } from '../../../src/common/http/json-load.ts';
import type { Intake } from '../jobs/intake.ts';
import type { JobRegistry } from '../jobs/job-registry.ts';
import type { Work } from '../jobs/jobs.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { SourceFile } from '../source/sources.ts';
import { type Bodies, type BodyKind, type BodyReader, DATA, type Incoming } from './bodies.ts';
import { sendJob } from './send-job.ts';
import { receiveForm, type Uploads } from './upload.ts';

export interface WorkHandlers {
  intake: Intake;
  queue: JobQueue;
  registry: JobRegistry;
  uploads: Uploads;
  readBody: BodyReader;
  /** What JSON of all requests together may take. */
  jsonLoad: JsonLoad;
  baseUrl: string | undefined;
  audit: Audit;
}

/** A work request as it arrived. */
export interface Arrived<Body> {
  body: Body;
  /** The JSON that the body was read from; of a form nothing. */
  text: Uint8Array;
  /** Uploaded files by the name of their part. */
  files: ReadonlyMap<string, SourceFile>;
  request: Request;
}

/** One of the endpoints that take work. */
export interface Endpoint<Kind extends BodyKind> {
  kind: Kind;
  /** Names of the parts of a form that may be files; without them only JSON is taken. */
  files?: readonly string[];
  /** Largest JSON body, bytes. */
  maxJsonBytes: () => number;
  /** Makes the job. The files are its own from then on. @throws {AppError} whatever can be said at once */
  work: (arrived: Arrived<Bodies[Kind]>) => Work;
  /** Whether the job may first have to fetch something that takes its time. */
  fetches: (arrived: Arrived<Bodies[Kind]>) => boolean;
}

const NOTHING = Buffer.alloc(0);

/** A small JSON body: it holds an address and options. */
export const SMALL_JSON = (): number => 1024 * 1024;

/** Accepts a request of one of the work endpoints and answers with its result (contract: DocBuilder endpoints). */
export function postWork<Kind extends BodyKind>(deps: WorkHandlers, endpoint: Endpoint<Kind>): RequestHandler {
  return async (request, response) => {
    const gone = whenClosed(response);
    // A request that would only wait to be refused is refused before its body is read.
    deps.queue.assertRoom();
    const { arrived, work } = await receive(request, response, deps, endpoint, gone);
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
async function receive<Kind extends BodyKind>(
  request: Request,
  response: Response,
  deps: WorkHandlers,
  endpoint: Endpoint<Kind>,
  gone: AbortSignal,
): Promise<{ arrived: Arrived<Bodies[Kind]>; work: Work }> {
  const { uploads, jsonLoad } = deps;
  const held = jsonLoad.open(uploads.maxBytes());
  try {
    assertPlain(request);
    writeContinue(request, response);
    const { incoming, files } = await readRequest(request, uploads, endpoint, held);
    const { arrived, work } = await orRemove(files, uploads, async () => {
      const body = await deps.readBody(endpoint.kind, incoming, gone);
      const arrived = { body, text: 'json' in incoming ? incoming.json : NOTHING, files, request };
      return { arrived, work: endpoint.work(arrived) };
    });
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

async function readRequest(
  request: Request,
  uploads: Uploads,
  { files: names, maxJsonBytes }: Pick<Endpoint<BodyKind>, 'files' | 'maxJsonBytes'>,
  held: HeldJson,
): Promise<{ incoming: Incoming; files: ReadonlyMap<string, SourceFile> }> {
  if (names && request.is('multipart/form-data')) {
    const { fields, files } = await receiveForm(request, uploads, names);
    return orRemove(files, uploads, async () => ({ incoming: await withData(fields, files, uploads, held), files }));
  }
  if (saysJson(request)) {
    return { incoming: { json: await readJsonText(request, uploads.idleMs, maxJsonBytes(), held) }, files: new Map() };
  }
  const ways = names ? 'multipart/form-data có tệp, hoặc application/json có url' : 'application/json';
  throw badRequest({ path: '', message: `hãy gửi ${ways}` });
}

/** The data of a form is a field, or a file of its own. */
async function withData(
  fields: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, SourceFile>,
  uploads: Uploads,
  held: HeldJson,
): Promise<Incoming> {
  held.look(Buffer.from(fields.get(DATA) ?? ''));
  const file = files.get(DATA);
  if (!file) return { fields };
  held.take(await uploads.size(file.path));
  const data = await uploads.read(file.path);
  held.look(data);
  await uploads.remove(file.path);
  return { fields, data };
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
    if (!response.writableFinished) controller.abort(new AppError('timeout', { scope: 'client_gone' }));
  });
  return controller.signal;
}
