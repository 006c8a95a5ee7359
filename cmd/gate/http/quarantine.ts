import { type Request, type RequestHandler, Router } from 'express';
import { equalStrings } from '../../../src/common/crypto/equal.ts';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import { basicAuthorization } from '../../../src/common/http/basic-auth.ts';
import type { Quarantined, UnsavedEdits } from '../domain/unsaved.ts';
import { decode, type ReadWopiSrc } from '../domain/wopi-src.ts';

export interface QuarantineHandlers {
  unsaved: UnsavedEdits;
  readWopiSrc: ReadWopiSrc;
  /** The editor's admin, whose password its container has. Without a password nobody is let in. */
  admin: { user: string; password: string };
}

/** For the editor's quarantine and who looks after it (docs/decisions/0010-gate.md), for `/svc/quarantine`. */
export function quarantineRoutes({ unsaved, readWopiSrc, admin }: QuarantineHandlers): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(onlyAdmin(admin));
  router.post('/ask', async (request, response) => {
    const file = parseFile(request, readWopiSrc);
    response.json({ action: file === undefined ? 'wait' : await unsaved.ask(file) });
  });
  router.put('/file', async (request, response) => {
    const file = parseFile(request, readWopiSrc);
    if (file === undefined) throw new AppError('not_found');
    await unsaved.keep(file, request);
    response.status(201).json({});
  });
  router.get('/', async (_request, response) => void response.json({ unsaved: await unsaved.list() }));
  router.post('/:id/restore', async ({ params }, response) => {
    const { docId, version } = await unsaved.restore(params.id);
    response.json({ doc_id: docId, version });
  });
  router.delete('/:id', async ({ params }, response) => {
    await unsaved.discard(params.id);
    response.status(204).end();
  });
  return router;
}

function onlyAdmin({ user, password }: QuarantineHandlers['admin']): RequestHandler {
  const expected = basicAuthorization(user, password);
  return (request, _response, next) => {
    const isAdmin = equalStrings(request.headers.authorization ?? '', expected) && password !== '';
    next(isAdmin ? undefined : new AppError('invalid_session_token'));
  };
}

/**
 * Reads the editor’s name of a file, `<encoded WOPISrc>/<Unix time>_<process>_<name>`, its hash, and its time and the
 * current one by the editor’s clock. @returns undefined for one of another WOPI host
 */
function parseFile(request: Request, readWopiSrc: ReadWopiSrc): Quarantined | undefined {
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const [, folder = '', pid] = /^([^/]+)\/\d+_(\d+)_[^/]*$/.exec(query.get('file') ?? '') ?? [];
  const [made, now] = ['made', 'now'].map((name) => Number(query.get(name) || Number.NaN) * 1000) as [number, number];
  const sha256 = query.get('sha256') ?? '';
  if (pid === undefined) throw badRequest({ path: 'file', message: 'không phải là tệp của vùng cách ly' });
  if (!Number.isFinite(made + now)) throw badRequest({ path: 'made, now', message: 'phải là thời điểm Unix' });
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw badRequest({ path: 'sha256', message: 'phải là SHA-256 dạng hex' });
  const docId = readWopiSrc(decode(folder) ?? '')?.docId;
  return docId ? { docId, pid: Number(pid), sha256, madeAt: made, ageMs: now - made } : undefined;
}
