import type { Request, RequestHandler, Response } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { iso } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { Job, JobCallback } from '../../../src/common/generated/wire.ts';
import { attachment } from '../../../src/common/http/disposition.ts';
import { sendBytes, sendStream } from '../../../src/common/http/send-bytes.ts';
import { getContentType } from '../formats.ts';
import type { JobRecord, OutputRecord } from '../jobs/job.ts';
import type { JobRegistry } from '../jobs/job-registry.ts';
import type { JobStore } from '../jobs/job-store.ts';

export interface JobHandlers {
  registry: JobRegistry;
  audit: Audit;
}

/** `GET /v1/jobs/{id}`; polling is never counted. */
export function getJob({ registry }: JobHandlers): RequestHandler {
  return async (request, response) => {
    const job = await registry.job(String(request.params['id']));
    response.setHeader('Cache-Control', 'no-store').json(jobView(job));
  };
}

/** `GET /v1/files/{id}`: the file, with Range and conditional requests (RFC 9110, 13 and 14). */
export function getFile({ registry, audit }: JobHandlers): RequestHandler {
  return async (request, response) => {
    const { output, read } = await registry.file(String(request.params['id']));
    setFileHeaders(response, output);
    response.setHeader('Cache-Control', 'private, no-cache');
    audit.record('file.downloaded', { file: output.fileId });
    const { size, sha256 } = output;
    await sendBytes(request, response, { size, sha256, read }).catch((error) => {
      // A sweep has removed it meanwhile.
      throw error.code === 'ENOENT' ? new AppError('gone', {}, { cause: error }) : error;
    });
  };
}

/**
 * Answers a work request: an async one with 202 and the job, a sync one with the result file, or with the job if there
 * are several files or the caller accepts only JSON. @throws {AppError} the error of a failed job
 */
export async function sendJob(
  request: Request,
  response: Response,
  { job, async, store }: { job: JobRecord; async: boolean; store: JobStore },
): Promise<void> {
  response.setHeader('X-SVC-Job-Id', job.id);
  response.setHeader('Cache-Control', 'no-store');
  if (async) {
    response.status(202).setHeader('Location', `/v1/jobs/${job.id}`).json(jobView(job));
    return;
  }
  const { error, retryAfter } = job;
  if (error) throw new AppError(error.code, error.detail, retryAfter ? { retryAfter } : {});
  const { queueMs, engineMs } = job.timing;
  response.setHeader('Server-Timing', `queue;dur=${queueMs.toFixed(1)}, engine;dur=${engineMs.toFixed(1)}`);
  const [output, ...more] = job.outputs;
  if (!output || more.length > 0 || prefersJson(request, output.contentType)) {
    response.json(jobView(job));
    return;
  }
  setFileHeaders(response, output);
  const content = store.content(job.id, output)();
  await sendStream(response, content, () => void response.setHeader('Content-Length', output.size));
}

/** Body of a job's completion callback (contract: Events, job callback body). */
export function jobCallbackBody(job: JobRecord): string {
  const body: JobCallback = { event: job.status === 'done' ? 'job.done' : 'job.failed', job: jobView(job) };
  return JSON.stringify(body);
}

/** Many clients list application/json beside a wildcard by default: that asks for the file. Some name a charset. */
function prefersJson(request: Request, contentType: string): boolean {
  return request.accepts(contentType) === false && request.accepts(getContentType('json')) !== false;
}

function setFileHeaders(response: Response, { contentType, filename }: OutputRecord): void {
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Disposition', attachment(filename));
  response.setHeader('X-Content-Type-Options', 'nosniff');
}

/** Converts a job to its wire form (contract: DocBuilder job). */
function jobView(job: JobRecord): Job {
  const { expiresAt, callback } = job;
  const isoOrNull = (time: number | null) => (time === null ? null : iso(time));
  return {
    id: job.id,
    kind: job.kind,
    status: job.status,
    created_at: iso(job.createdAt),
    started_at: isoOrNull(job.startedAt),
    finished_at: isoOrNull(job.finishedAt),
    expires_at: isoOrNull(expiresAt),
    outputs: job.outputs.map((output) => ({
      file_id: output.fileId,
      url: `${job.baseUrl}/v1/files/${output.fileId}`,
      filename: output.filename,
      format: output.format,
      content_type: output.contentType,
      size: output.size,
      sha256: output.sha256,
      pages: output.pages,
      expires_at: iso(expiresAt ?? job.createdAt),
    })),
    error: job.error,
    callback: callback && {
      state: callback.state,
      attempts: callback.attempts,
      last_status: callback.lastStatus,
      next_attempt_at: isoOrNull(callback.nextAttemptAt),
    },
  };
}
