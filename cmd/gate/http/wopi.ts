import type { IncomingMessage } from 'node:http';
import { type RequestHandler, Router } from 'express';
import { AppError, badRequest, fileTooLarge } from '../../../src/common/errors.ts';
import { writeContinue } from '../../../src/common/http/continue.ts';
import { sendBytes } from '../../../src/common/http/send-bytes.ts';
import type { Blobs } from '../domain/ports.ts';
import type { SaveFacts } from '../domain/save-transaction.ts';
import type { Saves } from '../domain/saves.ts';
import { checkFileInfo, parseNonce, toTimestamp } from '../domain/wopi.ts';
import type { WopiAccess } from '../domain/wopi-access.ts';

export interface WopiHandlers {
  access: WopiAccess;
  blobs: Pick<Blobs, 'read'>;
  saves: Saves;
  maxBytes: number;
}

type FileHandler = RequestHandler<{ docId: string }>;

const ITEM_VERSION = 'X-WOPI-ItemVersion';

/** The WOPI host of embedded documents (contract: Gate, operations and internal), for `/svc/wopi`. */
export function wopiRoutes(deps: WopiHandlers): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/files/:docId', getInfo(deps));
  router.get('/files/:docId/contents', getContents(deps));
  router.post('/files/:docId/contents', putContents(deps));
  // Locks, renaming, copies, folders: with any verb, known document or not.
  router.use(() => {
    throw new AppError('not_implemented');
  });
  return router;
}

/** CheckFileInfo. */
function getInfo({ access, saves }: WopiHandlers): FileHandler {
  return async (request, response) => {
    const { docId } = request.params;
    // This comes before the token: a 401 would drop the edits.
    if (await saves.hasUnresolvedSave(docId)) throw new AppError('internal', {}, { status: 503 });
    const { session, document, version } = await access.info(docId, getToken(request));
    response.setHeader('Cache-Control', 'no-store');
    response.json(checkFileInfo(session, document, version));
  };
}

/** GetFile, whole or one range of it (RFC 9110, 14). */
function getContents({ access, blobs }: WopiHandlers): FileHandler {
  return async (request, response) => {
    const { docId } = request.params;
    const version = await access.contents(docId, getToken(request));
    response.setHeader('Content-Type', 'application/octet-stream');
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader(ITEM_VERSION, String(version.version));
    const { size, sha256 } = version;
    await sendBytes(request, response, { size, sha256, read: (range) => blobs.read(version, range) });
  };
}

/** PutFile. Its statuses decide what happens to unsaved edits: docs/decisions/0010-gate.md. */
function putContents({ access, saves, maxBytes }: WopiHandlers): FileHandler {
  return async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    if ((header(request, 'x-wopi-override') ?? 'PUT') !== 'PUT') throw new AppError('not_implemented');
    const { docId } = request.params;
    const token = getToken(request);
    const admit = () => access.save(docId, token);
    const open = () => {
      const length = Number(request.headers['content-length'] ?? Number.NaN);
      if (length === 0) throw badRequest({ path: '', message: 'tài liệu không bao giờ rỗng' });
      if (length > maxBytes) throw fileTooLarge(maxBytes);
      writeContinue(request, response);
      return request;
    };
    const outcome = await saves.save(docId, { admit, open }, parseFacts(request), gone.signal);
    response.setHeader('Cache-Control', 'no-store');
    if (outcome === 'conflict') {
      // The editor's own code for "changed in storage".
      response.status(409).json({ COOLStatusCode: 1010 });
      return;
    }
    response.setHeader(ITEM_VERSION, String(outcome.version));
    response.json({ LastModifiedTime: toTimestamp(outcome) });
  };
}

function parseFacts(request: IncomingMessage): SaveFacts {
  const is = (name: string) => header(request, name)?.toLowerCase() === 'true';
  return {
    timestamp: header(request, 'x-cool-wopi-timestamp') || undefined,
    autosave: is('x-cool-wopi-isautosave'),
    final: is('x-cool-wopi-isexitsave'),
    modifiedByUser: is('x-cool-wopi-ismodifiedbyuser'),
    nonce: parseNonce(header(request, 'x-cool-wopi-extendeddata')),
  };
}

/**
 * Returns the access token from the query or `Authorization: Bearer`.
 * @throws {AppError} `bad_request` for a repeated parameter, `invalid_session_token` for two tokens that differ
 */
function getToken(request: IncomingMessage): string | undefined {
  const query = new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'));
  const names = [...query.keys()];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badRequest({ path: 'query', message: 'có tham số xuất hiện hai lần' });
  const inQuery = query.get('access_token') || undefined;
  const inHeader = /^Bearer +([^\s]+)$/i.exec(header(request, 'authorization') ?? '')?.[1];
  if (inQuery !== undefined && inHeader !== undefined && inQuery !== inHeader)
    throw new AppError('invalid_session_token');
  return inQuery ?? inHeader;
}

function header(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  if (values && values.length > 1) throw badRequest({ path: name, message: 'có tiêu đề xuất hiện hai lần' });
  return values?.[0];
}
