import { expect } from 'chai';
import fc from 'fast-check';
import { useFront } from './support/nginx.ts';
import { type RawRequest, send } from './support/raw.ts';
import { PAGE, SOCKETS } from './targets.ts';

const URIS = Number(process.env['SVC_FUZZ_URIS'] ?? 2_000);
const ANSWERS = Number(process.env['SVC_FUZZ_ANSWERS'] ?? 3_000);

const SEGMENTS = [
  'cool', 'lool', 'browser', 'hosting', 'svc', 'v1', 'ws', 'dist', '0a1b2c3d', 'admin', '%61dmin', 'adminws', 'getMetrics',
  'convert-to', 'Convert-To', 'cool.html', 'auth', '%61uth', 'wopi', 'files', 'wopiAccessCheck', 'COOL', '0x68747470', 'c%6Fol', 'w%73',
  'https%3A%2F%2Fh%2Fdoc%3Faccess_token%3Dx', 'https%253A%252F%252Fh', 'a b', '%00', '%0a', '%FF', ';', '.', '..', '%2e%2e', '%252e', '',
]; // biome-ignore format: words
const SEPARATORS = String.raw`/ / / / // ? /? ?? %2F %2f %3F & # \ %5C ; /./ /../`.split(' ');

const target = fc
  .tuple(
    fc.constantFrom('/', '/', '/', '//', '/?', '/./', 'http://front/', 'http://front?', '', '\\'),
    fc.array(fc.tuple(fc.constantFrom(...SEGMENTS), fc.constantFrom(...SEPARATORS)), { minLength: 1, maxLength: 7 }),
  )
  .map(([start, parts]) => start + parts.flat().join(''));

const statusLine = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('HTTP/1.1 403 Forbidden', 'HTTP/1.0 403', 'HTTP/1.1 403 ', 'HTTP/1.1 0403 x'),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 999 }).map((status) => `HTTP/1.1 ${status} x`) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);
const header = fc.oneof(
  fc.constantFrom(
    'X-Accel-Redirect: @no_answer', 'X-Accel-Redirect: /.ask', 'X-Accel-Redirect: /browser/x/cool.html', 'X-Accel-Buffering: no',
    'Transfer-Encoding: chunked', 'Content-Length: 5', 'Content-Length: -1', 'Content-Length: 5\r\nContent-Length: 6', 'Connection: close',
    'Connection: upgrade\r\nUpgrade: websocket', 'Status: 200', 'WWW-Authenticate: x', 'Location: /svc/', 'X-SVC-Ask: failed_open',
    ' HTTP/1.1 200 OK', '\r\nHTTP/1.1 200 OK', 'HTTP/1.1 200 OK', ':', '\0',
  ), // biome-ignore format: words
  fc.integer({ min: 1, max: 40_000 }).map((bytes) => `X-Pad: ${'x'.repeat(bytes)}`),
  fc.string({ maxLength: 40 }),
);
const answer = fc
  .tuple(
    statusLine,
    fc.array(header, { maxLength: 5 }),
    fc.constantFrom('', 'x', '5\r\nhello\r\n0\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'),
    fc.double({ min: 0, max: 1.5, noNaN: true }),
  )
  .map(([first, headers, body, part]) => {
    const whole = `${[first, ...headers].join('\r\n')}\r\n\r\n${body}`;
    return part >= 1 ? whole : whole.slice(0, Math.ceil(whole.length * part));
  });

describe('front under fuzz', () => {
  const bench = useFront();

  it(`opens for a 2xx, a 5xx or silence of the gate, whatever else it says (${ANSWERS} answers)`, async function () {
    this.timeout(120_000 + ANSWERS * 10);
    const opened: string[] = [];
    for (const [index, raw] of fc.sample(answer, ANSWERS).entries()) {
      await bench.upstreams.behave('gateInternal', { raw });
      const socket = index % 2 === 0;
      const { status } = await send(
        bench.front.url,
        socket ? { target: SOCKETS[0] ?? '', upgrade: true } : { target: PAGE },
      );
      const may = raw === '' || /^HTTP\/1\.[01] (?:2|5)\d\d(?!\d)/.test(raw);
      // 0: nothing came through, as where the gate tries to change the protocol of the question (101).
      if (!may && status > 0 && status < 400) opened.push(`${status} for ${JSON.stringify(raw.slice(0, 200))}`);
    }
    expect(opened).to.deep.equal([]);
  });

  it(`gives no socket the gate refused and no blocked page, whatever the URI (${URIS} URIs)`, async function () {
    this.timeout(60_000 + URIS * 20);
    await bench.upstreams.behave('gateInternal', { status: 403 });
    for (const upstream of ['gate', 'editor', 'gateInternal'] as const) bench.upstreams.seen(upstream);
    const found: string[] = [];
    let forwarded = 0;
    for (const uri of fc.sample(target, URIS)) {
      for (const request of variants(uri)) {
        const { status } = await send(bench.front.url, request);
        if (status === 101) found.push(`101: ${uri}`);
      }
      for (const seen of bench.upstreams.seen('editor')) {
        forwarded++;
        if (seen.headers['upgrade'] !== undefined || isBlocked(seen.target))
          found.push(`${uri} reached the editor as ${seen.target}`);
      }
      for (const seen of bench.upstreams.seen('gate'))
        if (isInternal(seen.target)) found.push(`${uri} reached the gate`);
    }
    expect(found).to.deep.equal([]);
    expect(forwarded, 'harmless ones do reach the editor').to.be.greaterThan(URIS / 50);
  });
});

const variants = (uri: string): RawRequest[] => [
  { target: uri, upgrade: true },
  { target: uri, method: 'POST', body: 'x' },
];

/** Reads a URI as the editor does: pieces between / and ?, not decoded; for its files, the path decoded once and resolved. */
function isBlocked(uri: string): boolean {
  const [type, name = ''] = uri.split(/[/?]/).filter((piece) => piece !== '');
  if (type === 'cool' || type === 'lool') return /^(?:adminws|getMetrics|convert-to)$/.test(name);
  const path: string[] = [];
  for (const piece of decodeOnce(uri.split('?', 1)[0] ?? '').split('/')) {
    if (piece === '..') path.pop();
    else if (piece !== '' && piece !== '.') path.push(piece);
  }
  return path[0] === 'browser' && /^admin/.test(path[2] ?? '');
}

function isInternal(uri: string): boolean {
  let path = uri.split('?', 1)[0] ?? '';
  for (let times = 0; times < 4; times++) path = decodeOnce(path);
  return /^\/+svc\/+(?:\.\/+|[^/]+\/+\.\.\/+)*(?:auth|wopi)(?:\/|$)/i.test(path);
}

function decodeOnce(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
