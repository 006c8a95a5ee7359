import type { RequestHandler } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { attachment } from '../../../src/common/http/disposition.ts';
import { sendBytes } from '../../../src/common/http/send-bytes.ts';
import type { Downloads } from '../domain/downloads.ts';

export interface FileHandlers {
  downloads: Downloads;
  audit: Audit;
}

/** `GET /svc/embed/files/{doc_id}`: the version that the signed link is for. Never shown by the browser itself. */
export function getEmbedFile({ downloads, audit }: FileHandlers): RequestHandler<{ docId: string }> {
  return (request, response) =>
    downloads.serve(request.params.docId, request.query, async (file, read) => {
      response.setHeader('Content-Type', file.contentType);
      response.setHeader('Content-Disposition', attachment(file.name));
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
      response.setHeader('Cache-Control', 'private, no-cache');
      const { size, sha256, version } = file;
      await sendBytes(request, response, { size, sha256, read });
      const { statusCode: status } = response;
      audit.record('file.downloaded', { document: request.params.docId, version, status });
    });
}
