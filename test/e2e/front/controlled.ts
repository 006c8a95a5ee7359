import type { ControlledRow, Subject } from './suite.ts';
import type { Behaviour, Seen } from './support/control.ts';
import { echo, open, requestText, send } from './support/raw.ts';
import { NO_SOCKETS, PAGE, RAW_TARGETS, SOCKETS } from './targets.ts';

const SPOOFED = {
  'X-Original-URI': '/cool/spoofed/ws',
  'X-Original-Method': 'SPOOFED',
  'X-SVC-Stage': 'spoofed',
  ProxyPrefix: '/spoofed',
  'X-Forwarded-Host': 'spoofed.example',
  Forwarded: 'host=spoofed.example;proto=https',
};
const FORM = `access_token=TOKEN-IN-FORM&pad=${'x'.repeat(20_000)}`;

/** Milliseconds that the contract's read timeout of 5 s may take when it is measured from outside. */
const LATE = 6_500;
const AT_ONCE = 1_500;

const padding = (bytes: number): string => `X-Pad: ${'x'.repeat(bytes)}\r\n`;
const answer = (status: number, headers = ''): string =>
  `HTTP/1.1 ${status} Told\r\n${headers}Content-Length: 0\r\n\r\n`;

const OPENS: [string, Behaviour, number][] = [
  ['is down', { down: true }, AT_ONCE],
  ['resets the connection', { reset: true }, AT_ONCE],
  ['closes without an answer', { raw: '' }, AT_ONCE],
  ...[500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511, 512, 520, 530, 599].map(
    (status): [string, Behaviour, number] => [`answers ${status}`, { status }, AT_ONCE],
  ),
  ['never answers', { hang: true }, LATE],
];

const REFUSES: [string, Behaviour][] = [
  ...[300, 301, 302, 304, 307, 400, 401, 403, 404, 405, 414, 422, 429, 431, 499].map((status): [string, Behaviour] => [
    `answers ${status}`,
    { status },
  ]),
  ['answers 403 with 9 KB of headers', { raw: answer(403, padding(9_000)) }],
  ['answers 403 with 70 KB of headers', { raw: answer(403, padding(70_000)) }],
  ['answers 403 and an inner redirect', { raw: answer(403, 'X-Accel-Redirect: @no_answer\r\n') }],
  ['answers 403 and another inner redirect', { raw: answer(403, 'X-Accel-Redirect: /.page\r\n') }],
  ['answers 403 after a 100', { raw: `HTTP/1.1 100 Continue\r\n\r\n${answer(403)}` }],
  ['answers 403 with a broken header', { raw: 'HTTP/1.1 403 Told\r\n\0\r\n\r\n' }],
  ['answers half of a 403', { raw: 'HTTP/1.1 403 Told\r\nX-Pad: ' }],
];

/** What a front does with a gate that fails: it opens for one that is silent or broken, and for nothing else. */
const FAILURES: readonly ControlledRow[] = [
  ...OPENS.map(
    ([what, behaviour, within]): ControlledRow => ({
      path: 'page and socket',
      promise: `open when the gate ${what}, within ${within / 1000} s`,
      check: async (subject) => {
        await subject.control.behave('gateInternal', behaviour);
        const [page, socket] = await both(subject);
        return [
          ...(page.status === 200 ? [] : [`page: ${page.status}`]),
          ...(socket.status === 101 ? [] : [`socket: ${socket.status}`]),
          ...[page, socket]
            .filter((each) => each.milliseconds > within)
            .map((each) => `took ${Math.round(each.milliseconds)} ms`),
        ];
      },
    }),
  ),
  ...REFUSES.map(
    ([what, behaviour]): ControlledRow => ({
      path: 'page and socket',
      promise: `refused when the gate ${what}`,
      check: async (subject) => {
        await subject.control.behave('gateInternal', behaviour);
        const [page, socket] = await both(subject);
        return [
          ...(page.status >= 400 ? [] : [`page: ${page.status}`]),
          ...(socket.status >= 400 ? [] : [`socket: ${socket.status}`]),
          ...(await subject.control.seen('editor')).map(({ target }) => `${target} reached the editor`),
        ];
      },
    }),
  ),
  {
    path: '/browser/<hash>/cool.html',
    promise: "the editor's own refusal stays one (an edge that asks may give it the limit page)",
    check: async ({ baseUrl, mode, control }) => {
      await control.behave('editor', { status: 403 });
      const { status } = await send(baseUrl, { target: PAGE });
      return status === 403 || (mode === 'auth-url' && status === 429) ? [] : [`${status}`];
    },
  },
];

/** What reaches the servers behind the front. */
export const CONTROLLED: readonly ControlledRow[] = [
  {
    path: '/browser/<hash>/cool.html',
    promise: 'asks (POST /svc/auth, raw URI, stage page), then serves',
    check: async ({ baseUrl, control }) => {
      const answer = await send(baseUrl, { target: PAGE, method: 'POST', body: FORM, headers: SPOOFED });
      const [served] = await control.seen('editor');
      return [
        ...(answer.status === 200 ? [] : [`answered ${answer.status}`]),
        ...misasked(await control.seen('gateInternal'), PAGE, 'page', 'POST'),
        ...(served?.target === PAGE && served.bytes === FORM.length ? [] : ['the form did not reach the editor']),
        ...(served ? leftovers(served) : []),
      ];
    },
  },
  {
    path: '/cool/<doc>/ws, /cool/ws',
    promise: 'asks (raw URI, stage ws), then 101 and both ways',
    check: async ({ baseUrl, control }) => {
      const misses: string[] = [];
      for (const target of SOCKETS) {
        const { status } = await send(baseUrl, { target, upgrade: true, headers: SPOOFED });
        if (status !== 101) misses.push(`${target}: ${status}`);
        misses.push(...misasked(await control.seen('gateInternal'), target, 'ws', 'GET'));
        const [opened] = await control.seen('editor');
        if (opened?.target !== target) misses.push(`${target} reached the editor as ${opened?.target}`);
        if (opened) misses.push(...leftovers(opened));
      }
      if ((await echo(baseUrl, SOCKETS[0] ?? '', 'there and back')) !== 'there and back')
        misses.push('no bytes went through');
      return misses;
    },
  },
  {
    path: '/cool/<doc>/ws, /cool/ws',
    promise: 'refused: 403, the editor never hears of it',
    check: async ({ baseUrl, control }) => {
      await control.behave('gateInternal', { status: 403 });
      const misses: string[] = [];
      for (const target of SOCKETS) {
        const { status } = await send(baseUrl, { target, upgrade: true });
        if (status !== 403) misses.push(`${target}: ${status}`);
      }
      return [...misses, ...reached(await control.seen('editor'))];
    },
  },
  {
    path: '/browser/<hash>/cool.html',
    promise: 'refused: the limit page with 429, the editor never hears of it',
    check: async ({ baseUrl, control }) => {
      await control.behave('gateInternal', { status: 403 });
      const misses: string[] = [];
      for (const method of ['GET', 'POST']) {
        const { status, headers, body } = await send(baseUrl, { target: PAGE, method, body: 'access_token=x' });
        const html = (headers['content-type'] ?? '').startsWith('text/html');
        if (status !== 429 || !html || !/<html|<!doctype html/i.test(body))
          misses.push(`${method}: ${status} ${body.slice(0, 60)}`);
      }
      return [...misses, ...reached(await control.seen('editor'))];
    },
  },
  {
    path: 'other paths of the editor',
    promise: 'forwarded without Upgrade, with Connection: close, nothing asked',
    check: async ({ baseUrl, control }) => {
      await control.behave('gateInternal', { status: 403 });
      const misses: string[] = [];
      for (const target of NO_SOCKETS.filter((each) => each !== PAGE)) {
        await send(baseUrl, { target, upgrade: true, headers: SPOOFED });
        for (const seen of await control.seen('editor')) {
          if (seen.headers['upgrade'] !== undefined) misses.push(`${target}: Upgrade reached the editor`);
          if (seen.headers['connection'] !== 'close')
            misses.push(`${target}: Connection ${seen.headers['connection']}`);
          misses.push(...leftovers(seen));
        }
      }
      return misses;
    },
  },
  {
    path: 'all of the editor',
    promise: 'the target arrives byte for byte (%2F kept)',
    check: async ({ baseUrl, control }) => {
      for (const target of RAW_TARGETS) await send(baseUrl, { target });
      const seen = (await control.seen('editor')).map(({ target }) => target);
      return RAW_TARGETS.filter((target) => !seen.includes(target));
    },
  },
  {
    path: '/svc/, /v1/',
    promise:
      'no X-Original-*, X-SVC-Stage, X-Forwarded-Host, Forwarded or Upgrade of a client; X-Forwarded-For and Host set',
    check: async ({ baseUrl, control }) => {
      const misses: string[] = [];
      for (const [upstream, target] of [
        ['gate', '/svc/limits'],
        ['gate', '/svc/embed/files/doc_0?v=1&exp=2&sig=3'],
        ['docbuilder', '/v1/limits'],
        ['docbuilder', '/v1/jobs/job_0?a=b%2Fc&d=//e'],
      ] as const) {
        await send(baseUrl, { target, upgrade: true, headers: SPOOFED });
        const [seen] = await control.seen(upstream);
        if (seen?.target !== target) misses.push(`${target} did not arrive`);
        if (seen?.headers['upgrade'] !== undefined) misses.push(`${target}: Upgrade arrived`);
        if (seen?.headers['host'] !== baseUrl.host) misses.push(`${target}: Host ${seen?.headers['host']}`);
        if (seen) misses.push(...leftovers(seen));
      }
      return misses;
    },
  },
  {
    path: '/v1/',
    promise: 'the body is passed on while it comes',
    check: async ({ baseUrl, control }) => {
      const socket = open(baseUrl);
      try {
        const head = requestText(baseUrl, {
          target: '/v1/convert',
          method: 'POST',
          headers: { 'Content-Length': '2000000' },
        });
        socket.write(head + 'x'.repeat(500_000));
        for (const deadline = Date.now() + 3000; Date.now() < deadline; ) {
          if ((await control.seen('docbuilder')).length > 0) return [];
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return ['nothing arrived before the whole body was there'];
      } finally {
        socket.destroy();
      }
    },
  },
  {
    path: '/v1/, /svc/',
    promise: 'large bodies pass; the services limit them',
    check: async ({ baseUrl, control }) => {
      const body = 'x'.repeat(12_000_000);
      await send(baseUrl, { target: '/v1/convert', method: 'POST', body });
      const [seen] = await control.seen('docbuilder');
      return seen?.bytes === body.length ? [] : [`${seen?.bytes ?? 'no'} bytes arrived`];
    },
  },
  {
    path: '/v1/, /svc/',
    promise: '502 with an error object when the service is down',
    check: async ({ baseUrl, control }) => {
      const misses: string[] = [];
      for (const [upstream, target] of [
        ['gate', '/svc/limits'],
        ['docbuilder', '/v1/status'],
      ] as const) {
        await control.behave(upstream, { down: true });
        const { status, headers, body } = await send(baseUrl, { target });
        const id = /"request_id":"(req_[0-9a-f]{16})"/.exec(body)?.[1];
        if (status !== 502 || !id || headers['x-svc-request-id'] !== id) misses.push(`${target}: ${status} ${body}`);
      }
      return misses;
    },
  },
  ...FAILURES,
];

function both({ baseUrl }: Subject) {
  return Promise.all([
    send(baseUrl, { target: PAGE, method: 'POST', body: 'access_token=x' }),
    send(baseUrl, { target: SOCKETS[0] ?? '', upgrade: true }),
  ]);
}

function misasked(asks: Seen[], target: string, stage: string, method: string): string[] {
  const [ask] = asks;
  if (asks.length !== 1 || !ask) return [`${target}: the gate was asked ${asks.length} times`];
  const told = [
    ask.method,
    ask.target,
    ask.headers['x-original-uri'],
    ask.headers['x-svc-stage'],
    ask.headers['x-original-method'],
  ];
  const wanted = ['POST', '/svc/auth', target, stage, method];
  return told.join(' ') === wanted.join(' ') ? [] : [`asked ${told.join(' ')} instead of ${wanted.join(' ')}`];
}

/** Headers that a client may not pass on to a server. */
function leftovers({ target, headers }: Seen): string[] {
  const names = Object.keys(SPOOFED)
    .map((name) => name.toLowerCase())
    .filter((name) => headers[name] !== undefined);
  return [
    ...names.map((name) => `${target}: the client's ${name} arrived`),
    ...(/^[0-9a-f.:, ]+$/i.test(headers['x-forwarded-for'] ?? '') ? [] : [`${target}: no X-Forwarded-For`]),
  ];
}

function reached(seen: Seen[]): string[] {
  return seen.map(({ target }) => `${target} reached the editor`);
}
