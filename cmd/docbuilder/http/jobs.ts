import type { RequestHandler } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { AppError } from '../../../src/common/errors.ts';
import { attachment } from '../../../src/common/http/disposition.ts';
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
  return async (request, response, next) => {
    const { output, path } = await registry.file(String(request.params['id']));
    response.setHeader('Content-Type', output.contentType);
    response.setHeader('Content-Disposition', attachment(output.filename));
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('ETag', `"${output.sha256}"`);
    response.setHeader('Cache-Control', 'private, no-cache');
    audit.record('file.downloaded', { file: output.fileId });
    // Only GET has ranges (RFC 9110, 14.2).
    if (request.method === 'HEAD') delete request.headers.range;
    response.sendFile(path, { dotfiles: 'allow', cacheControl: false, lastModified: false }, (error) => {
      // A client that has gone gets no answer.
      if (error && !response.headersSent && !response.destroyed) next(goneOr(error));
    });
  };
}

/** Hides the path, which Express would name, of a file that was removed since its job was read. */
function goneOr(error: NodeJS.ErrnoException): Error {
  return error.code === 'ENOENT' ? new AppError('gone', {}, { cause: error }) : error;
}
