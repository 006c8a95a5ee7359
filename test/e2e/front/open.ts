import type { Miss, OpenRow, Target } from './suite.ts';
import { type RawRequest, send } from './support/raw.ts';
import {
  BLOCKED,
  EDITOR_SOCKETS,
  INTERNAL,
  NO_SOCKETS,
  OWN,
  PAGE,
  SOCKETS,
  UNKNOWN,
  UNPARSABLE_SOCKETS,
} from './targets.ts';

/** Rows that need the base URL alone. */
export const OPEN: readonly OpenRow[] = [
  {
    path: '/',
    promise: '302 to /svc/',
    check: async ({ baseUrl }, miss) => {
      const { status, headers } = await send(baseUrl, { target: '/' });
      const location = URL.parse(headers['location'] ?? '', baseUrl.href)?.pathname;
      if (status !== 302 || location !== '/svc/') miss(`${status} ${headers['location'] ?? ''}`);
    },
  },
  answered('any other path', '404', [404], [UNKNOWN]),
  {
    path: '/svc/auth, /svc/wopi/',
    promise: '404 from outside, in all spellings',
    check: async (target, miss) => {
      await statuses(target, miss, [404, 400], INTERNAL);
      const post = { method: 'POST', body: '{}' };
      await statuses(target, miss, [404], ['/svc/auth', '/svc/wopi/files/doc_0123'], post);
    },
  },
  answered('/.ask, /ask/', '404 from outside', [404], [OWN]),
  answered(
    'admin, adminws, getMetrics, convert-to',
    '404, in all spellings the editor reads alike',
    [404, 400],
    [BLOCKED],
    [BLOCKED, { method: 'POST', body: 'x' }],
  ),
  answered('admin, adminws, getMetrics, convert-to', 'no 101', [404, 400], [BLOCKED, { upgrade: true }]),
  {
    path: 'other paths under /cool/ and elsewhere',
    promise: 'no 101',
    check: async ({ baseUrl }, miss) => {
      for (const target of NO_SOCKETS) {
        for (const extra of [{}, { Upgrade: 'WebSocket' }]) {
          const { status } = await send(baseUrl, { target, upgrade: true, headers: extra });
          if (status === 101 || status === 0) miss(`${target}: ${status || 'no answer'}`);
        }
      }
    },
  },
  answered(
    '/cool/<doc>/ws, /cool/ws',
    '101 or a refusal, nothing else',
    [101, 403, 400, 502],
    [SOCKETS, { upgrade: true }],
  ),
  {
    path: '/browser/<hash>/cool.html',
    promise: 'the page, or the limit page with 429',
    check: async ({ baseUrl }, miss) => {
      const { status, headers } = await send(baseUrl, { target: PAGE, method: 'POST', body: 'access_token=x' });
      if (status === 403) miss('403: a refused page is answered with the limit page and 429');
      const isPage = (headers['content-type'] ?? '').startsWith('text/html');
      if (status === 429 && !isPage) miss('429 without a page');
    },
  },
  {
    path: '/svc/',
    promise: 'to the gate',
    check: async ({ baseUrl }, miss) => {
      const { status, headers, body } = await send(baseUrl, { target: '/svc/healthz' });
      if (status !== 200 || !/"ok"\s*:\s*true/.test(body)) miss(`/svc/healthz: ${status} ${body.slice(0, 100)}`);
      else if (!headers['x-svc-request-id']) miss('/svc/healthz: no X-SVC-Request-Id');
    },
  },
  answered('/v1/', 'to DocBuilder, 502 when it is down', [200, 502], [['/v1/status']]),
  {
    path: '/hosting/discovery',
    promise: 'to the editor',
    check: async ({ baseUrl }, miss) => {
      const { status, body } = await send(baseUrl, { target: '/hosting/discovery' });
      if (status !== 200 || !body.includes('<wopi-discovery')) miss(`${status} ${body.slice(0, 100)}`);
    },
  },
];

/** Rows that need a real gate and editor. */
export const LIVE: readonly OpenRow[] = [
  answered(
    '/cool/<doc>/ws',
    "101, or the gate's 403: %2F in an editor's address gets through",
    [101, 403],
    [EDITOR_SOCKETS, { upgrade: true }],
  ),
  answered(
    '/cool/<doc>/ws, /cool/ws',
    'refused (403) when the gate cannot parse the URI',
    [403],
    [UNPARSABLE_SOCKETS, { upgrade: true }],
  ),
];

type Requests = [targets: readonly string[], request?: Omit<RawRequest, 'target'>];

/** A row of requests each of which is answered with one of these statuses. */
function answered(path: string, promise: string, allowed: readonly number[], ...all: Requests[]): OpenRow {
  const check = async (target: Target, miss: Miss): Promise<void> => {
    for (const [targets, request] of all) await statuses(target, miss, allowed, targets, request);
  };
  return { path, promise, check };
}

async function statuses(
  { baseUrl }: Target,
  miss: Miss,
  allowed: readonly number[],
  targets: readonly string[],
  request: Omit<RawRequest, 'target'> = {},
): Promise<void> {
  for (const target of targets) {
    const { status } = await send(baseUrl, { ...request, target });
    if (!allowed.includes(status)) miss(`${request.method ?? 'GET'} ${target}: ${status || 'no answer'}`);
  }
}
