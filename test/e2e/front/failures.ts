import type { ControlledRow, Target } from './suite.ts';
import type { Behaviour, Control } from './support/control.ts';
import { send } from './support/raw.ts';
import { PAGE, SOCKETS } from './targets.ts';

type Subject = Target & { control: Control };

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
export const FAILURES: readonly ControlledRow[] = [
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

function both({ baseUrl }: Subject) {
  return Promise.all([
    send(baseUrl, { target: PAGE, method: 'POST', body: 'access_token=x' }),
    send(baseUrl, { target: SOCKETS[0] ?? '', upgrade: true }),
  ]);
}
