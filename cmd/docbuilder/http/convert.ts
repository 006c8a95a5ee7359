import type { Request, RequestHandler, Response } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { badRequest } from '../../../src/common/errors.ts';
import type { ConvertRequest } from '../../../src/common/generated/wire.ts';
import { writeContinue } from '../../../src/common/http/continue.ts';
import { validator } from '../../../src/common/schema.ts';
import type { SourceFile } from '../domain/convert.ts';
import type { Intake } from '../domain/intake.ts';
import type { JobRegistry } from '../domain/job-registry.ts';
import type { Work } from '../domain/jobs.ts';
import type { JobQueue } from '../domain/queue.ts';
import { baseUrlOf } from './base-url.ts';
import { formValue } from './form-value.ts';
import { readJson } from './json.ts';
import { sendJob } from './send-job.ts';
import { receiveForm, type Uploads } from './upload.ts';

export interface ConvertHandlers {
  intake: Intake;
  queue: JobQueue;
  registry: JobRegistry;
  uploads: Uploads;
  baseUrl: string | undefined;
  audit: Audit;
  /** Makes the job of a conversion; see domain/convert.ts. */
  convert: (request: {
    source: SourceFile | { url: string };
    to: string;
    from: string | undefined;
    options: NonNullable<ConvertRequest['options']>;
  }) => Work;
}

const check = validator<ConvertRequest>('convert-request.json');

/** `POST /v1/convert`. */
export function postConvert(deps: ConvertHandlers): RequestHandler {
  return async (request, response) => {
    // A request that would only wait to be refused is refused before its body is read.
    deps.queue.assertRoom();
    const { body, upload } = await readRequest(request, response, deps.uploads);
    const submission = {
      async: body.async ?? false,
      callbackUrl: body.callback_url,
      baseUrl: baseUrlOf(request, deps.baseUrl),
    };
    const work = deps.convert({
      source: sourceOf(body, upload),
      to: body.to,
      from: body.from,
      options: body.options ?? {},
    });
    try {
      await deps.intake.check(submission);
    } catch (error) {
      await work.dispose();
      throw error;
    }
    const job = await deps.intake.accept(work, { ...submission, fetches: upload === undefined }, whenClosed(response));
    deps.audit.record('job.accepted', { job: job.id, kind: job.kind, async: submission.async });
    await sendJob(request, response, { job, async: submission.async, registry: deps.registry });
  };
}

async function readRequest(
  request: Request,
  response: Response,
  uploads: Uploads,
): Promise<{ body: ConvertRequest; upload: SourceFile | undefined }> {
  writeContinue(request, response);
  if (request.is('multipart/form-data')) {
    const { fields, file } = await receiveForm(request, uploads);
    try {
      return { body: checked(formValue(fields)), upload: file };
    } catch (error) {
      if (file) await uploads.remove(file.path);
      throw error;
    }
  }
  if (request.is('application/json'))
    return { body: checked(await readJson(request, uploads.idleMs)), upload: undefined };
  throw badRequest({ path: '', message: 'send multipart/form-data with a file, or application/json with a url' });
}

function checked(value: unknown): ConvertRequest {
  const result = check(value);
  if (!result.ok) throw badRequest(...result.mistakes);
  return result.value;
}

function sourceOf(body: ConvertRequest, upload: SourceFile | undefined): SourceFile | { url: string } {
  if (upload && body.url === undefined) return upload;
  if (!upload && body.url !== undefined) return { url: body.url };
  throw badRequest(
    upload
      ? { path: '/url', message: 'is given beside a file: send one of them' }
      : { path: '/file', message: 'is required, as a file of a form; or a url as JSON' },
  );
}

/** Aborts when the connection closes before the answer was sent. */
function whenClosed(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
