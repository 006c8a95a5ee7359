import type { OpenRow, Target } from './suite.ts';
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

/** What can be seen from outside, with nothing but the base URL. */
export const OPEN: readonly OpenRow[] = [
  {
    path: '/',
    promise: '302 to /svc/',
    check: async ({ baseUrl }) => {
      const { status, headers } = await send(baseUrl, { target: '/' });
      const location = URL.parse(headers['location'] ?? '', baseUrl.href)?.pathname;
      return status === 302 && location === '/svc/' ? [] : [`${status} ${headers['location'] ?? ''}`];
    },
  },
  { path: 'any other path', promise: '404', check: (target) => statuses(target, UNKNOWN, [404]) },
  {
    path: '/svc/auth, /svc/wopi/',
    promise: '404 from outside, in all spellings',
    check: async (target) => [
      ...(await statuses(target, INTERNAL, [404, 400])),
      ...(await statuses(target, ['/svc/auth', '/svc/wopi/files/doc_0123'], [404], { method: 'POST', body: '{}' })),
    ],
  },
  { path: '/.ask, /ask/', promise: '404 from outside', check: (target) => statuses(target, OWN, [404]) },
  {
    path: 'admin, adminws, getMetrics, convert-to',
    promise: '404, in all spellings the editor reads alike',
    check: async (target) => [
      ...(await statuses(target, BLOCKED, [404, 400])),
      ...(await statuses(target, BLOCKED, [404, 400], { method: 'POST', body: 'x' })),
    ],
  },
  {
    path: 'admin, adminws, getMetrics, convert-to',
    promise: 'no 101',
    check: (target) => statuses(target, BLOCKED, [404, 400], { upgrade: true }),
  },
  {
    path: 'other paths under /cool/ and elsewhere',
    promise: 'no 101',
    check: async ({ baseUrl }) => {
      const misses: string[] = [];
      for (const target of NO_SOCKETS) {
        for (const extra of [{}, { Upgrade: 'WebSocket' }]) {
          const { status } = await send(baseUrl, { target, upgrade: true, headers: extra });
          if (status === 101 || status === 0) misses.push(`${target}: ${status || 'no answer'}`);
        }
      }
      return misses;
    },
  },
  {
    path: '/cool/<doc>/ws, /cool/ws',
    promise: '101 or a refusal, nothing else',
    check: (target) => statuses(target, SOCKETS, [101, 403, 400, 502], { upgrade: true }),
  },
  {
    path: '/browser/<hash>/cool.html',
    promise: 'the page, or the limit page with 429',
    check: async ({ baseUrl }) => {
      const { status, headers } = await send(baseUrl, { target: PAGE, method: 'POST', body: 'access_token=x' });
      if (status === 403) return ['403: a refused page is answered with the limit page and 429'];
      const html = (headers['content-type'] ?? '').startsWith('text/html');
      return status === 429 && !html ? ['429 without a page'] : [];
    },
  },
  {
    path: '/svc/',
    promise: 'to the gate',
    check: async ({ baseUrl }) => {
      const { status, headers, body } = await send(baseUrl, { target: '/svc/healthz' });
      if (status !== 200 || !/"ok"\s*:\s*true/.test(body)) return [`/svc/healthz: ${status} ${body.slice(0, 100)}`];
      return headers['x-svc-request-id'] ? [] : ['/svc/healthz: no X-SVC-Request-Id'];
    },
  },
  {
    path: '/v1/',
    promise: 'to DocBuilder, 502 when it is down',
    check: (target) => statuses(target, ['/v1/status'], [200, 502]),
  },
  {
    path: '/hosting/discovery',
    promise: 'to the editor',
    check: async ({ baseUrl }) => {
      const { status, body } = await send(baseUrl, { target: '/hosting/discovery' });
      return status === 200 && body.includes('<wopi-discovery') ? [] : [`${status} ${body.slice(0, 100)}`];
    },
  },
];

/** What only a real gate and editor can show: steered ones answer what they were told. */
export const LIVE: readonly OpenRow[] = [
  {
    path: '/cool/<doc>/ws',
    promise: "101, or the gate's 403: %2F in an editor's address gets through",
    check: (target) => statuses(target, EDITOR_SOCKETS, [101, 403], { upgrade: true }),
  },
  {
    path: '/cool/<doc>/ws, /cool/ws',
    promise: 'refused (403) when the gate cannot parse the URI',
    check: (target) => statuses(target, UNPARSABLE_SOCKETS, [403], { upgrade: true }),
  },
];

async function statuses(
  { baseUrl }: Target,
  targets: readonly string[],
  allowed: readonly number[],
  request: Omit<RawRequest, 'target'> = {},
): Promise<string[]> {
  const misses: string[] = [];
  for (const target of targets) {
    const { status } = await send(baseUrl, { ...request, target });
    if (!allowed.includes(status)) misses.push(`${request.method ?? 'GET'} ${target}: ${status || 'no answer'}`);
  }
  return misses;
}
