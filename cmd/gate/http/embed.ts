import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { badRequest, toAppError } from '../../../src/common/errors.ts';
import type { EmbedModeRequest } from '../../../src/common/generated/wire.ts';
import { getBaseUrl } from '../../../src/common/http/base-url.ts';
import { writeContinue } from '../../../src/common/http/continue.ts';
import { attachment } from '../../../src/common/http/disposition.ts';
import { methodNotAllowed } from '../../../src/common/http/errors.ts';
import { readJson, saysJson } from '../../../src/common/http/json.ts';
import { sendBytes } from '../../../src/common/http/send-bytes.ts';
import { validator } from '../../../src/common/schema.ts';
import type { ConfigCheck } from '../domain/config-check.ts';
import { findLinked, type Links } from '../domain/links.ts';
import { FORMATS } from '../domain/model.ts';
import type { Blobs, Rows } from '../domain/ports.ts';
import type { Sessions } from '../domain/sessions.ts';
import { baseFileName } from '../domain/wopi.ts';
import { type CorsOptions, requireOrigin } from './cors.ts';

export interface EmbedHandlers extends CorsOptions {
  enabled: boolean;
  checkConfig: ConfigCheck;
  sessions: Sessions;
  links: Pick<Links, 'verify'>;
  rows: Pick<Rows, 'read'>;
  blobs: Pick<Blobs, 'read'>;
  /** Public address of the service; undefined: what the request was sent to. */
  baseUrl: string | undefined;
  audit: Audit;
}

type SessionHandler = RequestHandler<{ sessionId: string }>;

const MAX_JSON_BYTES = 64 * 1024;
const BODY_IDLE_MS = 10_000;

/** The routes of embedding, for `/svc/embed` (contract: Gate, embedding). All of it is unknown when it is disabled. */
export function embedRoutes(deps: EmbedHandlers): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (!deps.enabled) return router;
  const ofOrigin = requireOrigin(deps);
  const refused = auditRefusal(deps.audit);
  router.route('/session').post(ofOrigin, postSession(deps), refused).all(methodNotAllowed('POST', 'OPTIONS'));
  router
    .route('/session/:sessionId')
    .get(ofOrigin, getSession(deps), refused)
    .delete(ofOrigin, deleteSession(deps), refused)
    .all(methodNotAllowed('GET', 'HEAD', 'DELETE', 'OPTIONS'));
  router
    .route('/session/:sessionId/mode')
    .post(ofOrigin, postMode(deps), refused)
    .all(methodNotAllowed('POST', 'OPTIONS'));
  router
    .route('/files/:docId')
    .get(getFile(deps))
    .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  return router;
}

/** `POST /svc/embed/session`. */
function postSession({ checkConfig, sessions, baseUrl }: EmbedHandlers): RequestHandler {
  return async (request, response) => {
    writeContinue(request, response);
    const embedding = await checkConfig(await readBody(request));
    const caller = { origin: request.headers.origin ?? null, baseUrl: getBaseUrl(request, baseUrl) };
    const session = await sessions.create(embedding, caller);
    response.status(201).setHeader('Cache-Control', 'no-store').json(session);
  };
}

/** `GET /svc/embed/session/{session_id}`; `nonce` in the query asks after one save. */
function getSession({ sessions, baseUrl }: EmbedHandlers): SessionHandler {
  return async (request, response) => {
    const { nonce } = request.query;
    const asked = typeof nonce === 'string' ? nonce : undefined;
    const url = getBaseUrl(request, baseUrl);
    const state = await sessions.state(request.params.sessionId, getToken(request), url, asked);
    response.setHeader('Cache-Control', 'no-store').json(state);
  };
}

/** `POST /svc/embed/session/{session_id}/mode`. */
function postMode({ sessions }: EmbedHandlers): SessionHandler {
  const check = validator<EmbedModeRequest>('embed-mode-request.json');
  return async (request, response) => {
    const session = await sessions.changeMode(request.params.sessionId, getToken(request), async () => {
      writeContinue(request, response);
      const checked = check(await readBody(request));
      if (!checked.ok) throw badRequest(...checked.mistakes);
      return checked.value.mode;
    });
    response.setHeader('Cache-Control', 'no-store').json(session);
  };
}

/** `DELETE /svc/embed/session/{session_id}`. */
function deleteSession({ sessions }: EmbedHandlers): SessionHandler {
  return async (request, response) => {
    await sessions.close(request.params.sessionId, getToken(request));
    response.status(204).end();
  };
}

/** `GET /svc/embed/files/{doc_id}`: the version that the signed link is for. Never shown by the browser itself. */
function getFile({ links, rows, blobs, audit }: EmbedHandlers): RequestHandler<{ docId: string }> {
  return async (request, response) => {
    const { docId } = request.params;
    const number = links.verify(docId, request.query);
    const { document, version } = await rows.read((tx) => findLinked(tx, docId, number));
    // `set` of express would add a charset, which is unknown.
    response.setHeader('Content-Type', FORMATS[document.fileType].mediaType);
    response.set({
      'Content-Disposition': attachment(baseFileName(document)),
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': 'private, no-cache',
    });
    const { size, sha256 } = version;
    await sendBytes(request, response, { size, sha256, read: (range) => blobs.read(version, range) });
    audit.record('file.downloaded', { document: docId, version: number, status: response.statusCode });
  };
}

/** The credentials of the scheme Bearer (RFC 6750, section 2.1); undefined without them. */
function getToken(request: Request<{ sessionId: string }>): string | undefined {
  return /^Bearer +([\w-]{1,128})$/i.exec(request.headers.authorization ?? '')?.[1];
}

async function readBody(request: Request<object>): Promise<unknown> {
  if (!saysJson(request)) throw badRequest({ path: '', message: 'hãy gửi application/json' });
  return readJson(request, BODY_IDLE_MS, MAX_JSON_BYTES);
}

/** Records who was refused what, and why. */
function auditRefusal(audit: Audit): ErrorRequestHandler {
  return (error, request, _response, next) => {
    const { code, detail } = toAppError(error);
    const { path, headers } = request;
    const reason = String(detail['reason'] ?? '');
    audit.record('session.refused', { code, reason, path, origin: headers.origin ?? '' });
    next(error);
  };
}
