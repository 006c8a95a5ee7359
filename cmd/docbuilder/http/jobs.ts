import type { RequestHandler } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { AppError } from '../../../src/common/errors.ts';
import { attachment } from '../../../src/common/http/disposition.ts';
import { sendBytes } from '../../../src/common/http/send-bytes.ts';
import type { JobRegistry } from '../jobs/job-registry.ts';
import { jobView } from './job-view.ts';

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
    response.setHeader('Content-Type', output.contentType);
    response.setHeader('Content-Disposition', attachment(output.filename));
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'private, no-cache');
    audit.record('file.downloaded', { file: output.fileId });
    const { size, sha256 } = output;
    await sendBytes(request, response, { size, sha256, read }).catch((error) => {
      throw goneOr(error);
    });
  };
}

/** The answer for a file that was removed since its job was read. */
function goneOr(error: NodeJS.ErrnoException): Error {
  return error.code === 'ENOENT' ? new AppError('gone', {}, { cause: error }) : error;
}
