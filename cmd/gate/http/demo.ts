import { randomBytes } from 'node:crypto';
import express, { type Request, type RequestHandler, Router } from 'express';
import type { Clock } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';
import { methodNotAllowed } from '../../../src/common/http/errors.ts';
import type { DemoInbox } from '../domain/demo-inbox.ts';
import { FORMATS } from '../domain/model.ts';
import { sampleDocx } from '../domain/sample-docx.ts';
import type { BrowserFiles } from './api-js.ts';
import { demoPage } from './demo-page.ts';
import { sendFigures } from './figures.ts';

export interface DemoHandlers {
  /** Without development mode every path of the demo is unknown. */
  devMode: boolean;
  files: Pick<BrowserFiles, 'demo'>;
  inbox: DemoInbox;
  /** The address at which the gate itself reaches the demo's document and receiver, without a slash at its end. */
  selfUrl: string;
  /** Signs an embed configuration as a portal would; undefined when the service takes unsigned ones. */
  sign: ((config: object, expiresAt: number) => Promise<string>) | undefined;
  clock: Clock;
}

const MAX_CALLBACK = '1mb';
const TOKEN_MS = 60 * 60_000;
const NAMES = ['Lan', 'Minh', 'Hương', 'Tuấn', 'Mai', 'Dũng', 'Thảo', 'Nam'];

/** The routes for `/svc/demo`, in development mode only (contract: Gate: operations and internal). */
export function demoRoutes(deps: DemoHandlers): Router {
  const router = Router({ caseSensitive: true, strict: true });
  if (!deps.devMode) return router;
  const pages: Record<string, RequestHandler> = {
    '/': getDemo(deps),
    '/sample.docx': getSample(),
    // The last 20, newest first.
    '/callbacks': sendFigures(deps.inbox.list),
  };
  for (const [path, get] of Object.entries(pages)) {
    router
      .route(path)
      .get(get)
      .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  }
  router
    .route('/callback')
    .post(express.raw({ type: () => true, limit: MAX_CALLBACK }), postDemoCallback(deps))
    .all(methodNotAllowed('POST', 'OPTIONS'));
  return router;
}

/** `GET /svc/demo`: a page that embeds the sample. `lang`, `mode`, `name` and `doc` in its query change it. */
function getDemo({ files, selfUrl, sign, clock }: DemoHandlers): RequestHandler {
  // A key stands for one content, and each start of the service has a new sample.
  const start = clock().toString(36);
  let guests = 0;
  return async (request, response) => {
    const { lang, mode, name = NAMES[guests++ % NAMES.length] ?? '', doc } = parseQuery(request);
    const user = { id: `demo-${randomBytes(6).toString('hex')}`, name };
    const config = {
      document: {
        url: `${selfUrl}/svc/demo/sample.docx`,
        title: lang === 'en' ? 'Sample document.docx' : 'Tài liệu mẫu.docx',
        fileType: 'docx',
        key: `demo-${start}-${doc}`,
      },
      editor: { mode, lang, user, callbackUrl: `${selfUrl}/svc/demo/callback` },
      ui: { closeButton: true },
    };
    const token = sign && (await sign(config, clock() + TOKEN_MS));
    const nonce = randomBytes(16).toString('base64');
    response
      .set({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': policy(nonce),
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      })
      .send(
        demoPage({
          lang,
          nonce,
          script: files.demo,
          settings: { config: { ...config, ...(token && { token }) }, doc },
        }),
      );
  };
}

/** Returns the policy of a page that embeds: it allows nothing else. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function parseQuery({ query }: Request) {
  const { lang, mode, name, doc } = query;
  return {
    lang: lang === 'en' ? ('en' as const) : ('vi' as const),
    mode: mode === 'view' ? 'view' : 'edit',
    name: typeof name === 'string' && /^[\p{L}\p{M}\p{N} .'-]{1,60}$/u.test(name) ? name : undefined,
    doc: typeof doc === 'string' && /^[a-z0-9]{1,32}$/.test(doc) ? doc : '1',
  };
}

/** `GET /svc/demo/sample.docx`. */
function getSample(): RequestHandler {
  const headers = {
    'Content-Type': FORMATS.docx.mediaType,
    'Content-Disposition': 'attachment; filename="sample.docx"',
  };
  const bytes = sampleDocx();
  return (_request, response) => void response.set(headers).send(bytes);
}

/** `POST /svc/demo/callback`: as a portal's receiver does, it keeps what came and refuses what is not signed well. */
function postDemoCallback({ inbox }: Pick<DemoHandlers, 'inbox'>): RequestHandler {
  return (request, response) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const { signature } = inbox.receive((name) => request.get(name), body);
    if (signature === 'invalid') throw new AppError('invalid_signature');
    response.status(204).end();
  };
}
