import type { Request, Response } from 'express';
import { AppError } from '../../../src/common/errors.ts';
import { attachment } from '../../../src/common/http/disposition.ts';
import { sendStream } from '../../../src/common/http/send-bytes.ts';
import type { JobRecord } from '../jobs/job.ts';
import type { JobRegistry } from '../jobs/job-registry.ts';
import { jobView } from './job-view.ts';

/**
 * The answer to a work request: 202 and the job; or, once the job has ended, its one result file, the job object when
 * there are several or the caller asks for JSON, or the error that it failed with.
 */
export async function sendJob(
  request: Request,
  response: Response,
  { job, async, registry }: { job: JobRecord; async: boolean; registry: JobRegistry },
): Promise<void> {
  response.setHeader('X-SVC-Job-Id', job.id);
  response.setHeader('Cache-Control', 'no-store');
  if (async) {
    response.status(202).setHeader('Location', `/v1/jobs/${job.id}`).json(jobView(job));
    return;
  }
  if (job.error)
    throw new AppError(job.error.code, job.error.detail, job.retryAfter ? { retryAfter: job.retryAfter } : {});
  response.setHeader(
    'Server-Timing',
    `queue;dur=${job.timing.queueMs.toFixed(1)}, engine;dur=${job.timing.engineMs.toFixed(1)}`,
  );
  const [output, ...more] = job.outputs;
  if (!output || more.length > 0 || prefersJson(request, output.contentType)) {
    response.json(jobView(job));
    return;
  }
  response.setHeader('Content-Type', output.contentType);
  response.setHeader('Content-Disposition', attachment(output.filename));
  response.setHeader('X-Content-Type-Options', 'nosniff');
  const content = registry.contentOf(job, output)();
  await sendStream(response, content, () => void response.setHeader('Content-Length', output.size));
}

/** Many clients list application/json beside a wildcard by default; only one that takes nothing else means it. */
function prefersJson(request: Request, contentType: string): boolean {
  const [mime = ''] = contentType.split(';');
  return request.accepts(mime) === false && request.accepts('application/json') !== false;
}
