import { until } from '../../support/until.ts';
import type { ControlledRow, Miss, Subject } from './suite.ts';
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

/** A front opens when the gate is silent or broken, and in no other case. */
const FAILURES: readonly ControlledRow[] = [
  ...OPENS.map(
    ([what, behaviour, within]): ControlledRow => ({
      path: 'page and socket',
      promise: `open when the gate ${what}, within ${within / 1000} s`,
      check: async (subject, miss) => {
        await subject.control.behave('gateInternal', behaviour);
        const [page, socket] = await both(subject);
        if (page.status !== 200) miss(`page: ${page.status}`);
        if (socket.status !== 101) miss(`socket: ${socket.status}`);
        const slowest = Math.max(page.milliseconds, socket.milliseconds);
        if (slowest > within) miss(`took ${Math.round(slowest)} ms`);
      },
    }),
  ),
  ...REFUSES.map(
    ([what, behaviour]): ControlledRow => ({
      path: 'page and socket',
      promise: `refused when the gate ${what}`,
      check: async (subject, miss) => {
        await subject.control.behave('gateInternal', behaviour);
        const [page, socket] = await both(subject);
        if (page.status < 400) miss(`page: ${page.status}`);
        if (socket.status < 400) miss(`socket: ${socket.status}`);
        await expectNothing(subject, miss);
      },
    }),
  ),
  {
    path: '/browser/<hash>/cool.html',
    promise: "the editor's own refusal stays one (an edge that asks may give it the limit page)",
    check: async ({ baseUrl, mode, control }, miss) => {
      await control.behave('editor', { status: 403 });
      const { status } = await send(baseUrl, { target: PAGE });
      if (status !== 403 && !(mode === 'auth-url' && status === 429)) miss(`${status}`);
    },
  },
];

/** Rows about requests that reach the servers behind the front. */
export const CONTROLLED: readonly ControlledRow[] = [
  {
    path: '/browser/<hash>/cool.html',
    promise: 'asks (POST /svc/auth, raw URI, stage page), then serves',
    check: async ({ baseUrl, control }, miss) => {
      const answer = await send(baseUrl, { target: PAGE, method: 'POST', body: FORM, headers: SPOOFED });
      if (answer.status !== 200) miss(`answered ${answer.status}`);
      expectAsked(await control.seen('gateInternal'), [PAGE, 'page', 'POST'], miss);
      const [served] = await control.seen('editor');
      if (served?.target !== PAGE || served.bytes !== FORM.length) miss('the form did not reach the editor');
      if (served) expectClean(served, miss);
    },
  },
  {
    path: '/cool/<doc>/ws, /cool/ws',
    promise: 'asks (raw URI, stage ws), then 101 and both ways',
    check: async ({ baseUrl, control }, miss) => {
      for (const target of SOCKETS) {
        const { status } = await send(baseUrl, { target, upgrade: true, headers: SPOOFED });
        if (status !== 101) miss(`${target}: ${status}`);
        expectAsked(await control.seen('gateInternal'), [target, 'ws', 'GET'], miss);
        const [opened] = await control.seen('editor');
        if (opened?.target !== target) miss(`${target} reached the editor as ${opened?.target}`);
        if (opened) expectClean(opened, miss);
      }
      if ((await echo(baseUrl, SOCKETS[0] ?? '', 'there and back')) !== 'there and back') miss('no bytes went through');
    },
  },
  {
    path: '/cool/<doc>/ws, /cool/ws',
    promise: 'refused: 403, the editor never hears of it',
    check: async (subject, miss) => {
      await subject.control.behave('gateInternal', { status: 403 });
      for (const target of SOCKETS) {
        const { status } = await send(subject.baseUrl, { target, upgrade: true });
        if (status !== 403) miss(`${target}: ${status}`);
      }
      await expectNothing(subject, miss);
    },
  },
  {
    path: '/browser/<hash>/cool.html',
    promise: 'refused: the limit page with 429, the editor never hears of it',
    check: async (subject, miss) => {
      await subject.control.behave('gateInternal', { status: 403 });
      for (const method of ['GET', 'POST']) {
        const answer = await send(subject.baseUrl, { target: PAGE, method, body: 'access_token=x' });
        const isPage = (answer.headers['content-type'] ?? '').startsWith('text/html');
        if (answer.status !== 429 || !isPage || !/<html|<!doctype html/i.test(answer.body))
          miss(`${method}: ${answer.status} ${answer.body.slice(0, 60)}`);
      }
      await expectNothing(subject, miss);
    },
  },
  {
    path: 'other paths of the editor',
    promise: 'forwarded without Upgrade, with Connection: close, nothing asked',
    check: async ({ baseUrl, control }, miss) => {
      await control.behave('gateInternal', { status: 403 });
      for (const target of NO_SOCKETS.filter((each) => each !== PAGE)) {
        await send(baseUrl, { target, upgrade: true, headers: SPOOFED });
        for (const seen of await control.seen('editor')) {
          if (seen.headers['upgrade'] !== undefined) miss(`${target}: Upgrade reached the editor`);
          if (seen.headers['connection'] !== 'close') miss(`${target}: Connection ${seen.headers['connection']}`);
          expectClean(seen, miss);
        }
      }
    },
  },
  {
    path: 'all of the editor',
    promise: 'the target arrives byte for byte (%2F kept)',
    check: async ({ baseUrl, control }, miss) => {
      for (const target of RAW_TARGETS) await send(baseUrl, { target });
      const seen = new Set((await control.seen('editor')).map(({ target }) => target));
      for (const target of RAW_TARGETS) if (!seen.has(target)) miss(target);
    },
  },
  {
    path: '/svc/, /v1/',
    promise:
      'no X-Original-*, X-SVC-Stage, X-Forwarded-Host, Forwarded or Upgrade of a client; X-Forwarded-For and Host set',
    check: async ({ baseUrl, control }, miss) => {
      for (const [upstream, target] of [
        ['gate', '/svc/limits'],
        ['gate', '/svc/embed/files/doc_0?v=1&exp=2&sig=3'],
        ['docbuilder', '/v1/limits'],
        ['docbuilder', '/v1/jobs/job_0?a=b%2Fc&d=//e'],
      ] as const) {
        await send(baseUrl, { target, upgrade: true, headers: SPOOFED });
        const [seen] = await control.seen(upstream);
        if (seen?.target !== target) miss(`${target} did not arrive`);
        if (seen?.headers['upgrade'] !== undefined) miss(`${target}: Upgrade arrived`);
        if (seen?.headers['host'] !== baseUrl.host) miss(`${target}: Host ${seen?.headers['host']}`);
        if (seen) expectClean(seen, miss);
      }
    },
  },
  {
    path: '/v1/',
    promise: 'the body is passed on while it comes',
    check: async ({ baseUrl, control }, miss) => {
      const socket = open(baseUrl);
      const headers = { 'Content-Length': '2000000' };
      const head = requestText(baseUrl, { target: '/v1/convert', method: 'POST', headers });
      socket.write(head + 'x'.repeat(500_000));
      const arrives = async () => (await control.seen('docbuilder')).length > 0;
      await until('', arrives, 3_000).catch(() => miss('nothing arrived before the whole body was there'));
      socket.destroy();
    },
  },
  {
    path: '/v1/, /svc/',
    promise: 'large bodies pass; the services limit them',
    check: async ({ baseUrl, control }, miss) => {
      const body = 'x'.repeat(12_000_000);
      await send(baseUrl, { target: '/v1/convert', method: 'POST', body });
      const [seen] = await control.seen('docbuilder');
      if (seen?.bytes !== body.length) miss(`${seen?.bytes ?? 'no'} bytes arrived`);
    },
  },
  {
    path: '/v1/, /svc/',
    promise: '502 with an error object when the service is down',
    check: async ({ baseUrl, control }, miss) => {
      for (const [upstream, target] of [
        ['gate', '/svc/limits'],
        ['docbuilder', '/v1/status'],
      ] as const) {
        await control.behave(upstream, { down: true });
        const { status, headers, body } = await send(baseUrl, { target });
        const id = /"request_id":"(req_[0-9a-f]{16})"/.exec(body)?.[1];
        if (status !== 502 || !id || headers['x-svc-request-id'] !== id) miss(`${target}: ${status} ${body}`);
      }
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

function expectAsked(asks: Seen[], [target, stage, method]: [string, string, string], miss: Miss): void {
  const [ask] = asks;
  if (asks.length !== 1) miss(`${target}: the gate was asked ${asks.length} times`);
  if (!ask) return;
  const { 'x-original-uri': uri, 'x-svc-stage': asked, 'x-original-method': by } = ask.headers;
  const request = [ask.method, ask.target, uri, asked, by].join(' ');
  const wanted = ['POST', '/svc/auth', target, stage, method].join(' ');
  if (request !== wanted) miss(`asked ${request} instead of ${wanted}`);
}

/** Checks that a request has no headers that a client may not pass on to a server. */
function expectClean({ target, headers }: Seen, miss: Miss): void {
  for (const name of Object.keys(SPOOFED).map((each) => each.toLowerCase()))
    if (headers[name] !== undefined) miss(`${target}: the client's ${name} arrived`);
  if (!/^[0-9a-f.:, ]+$/i.test(headers['x-forwarded-for'] ?? '')) miss(`${target}: no X-Forwarded-For`);
}

async function expectNothing({ control }: Subject, miss: Miss): Promise<void> {
  for (const { target } of await control.seen('editor')) miss(`${target} reached the editor`);
}
