import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { authenticate, createAuthenticator } from '../../../cmd/docbuilder/http/auth.ts';
import { parseApiKeys } from '../../../src/common/api-keys.ts';
import { AppError } from '../../../src/common/errors.ts';
import { hmac, jws } from '../../support/jws.ts';
import { close, listeningPort } from '../../support/listen.ts';
import { processorTime } from '../../support/processor-time.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SECONDS = NOW / 1000;
const SECRET = 'a-secret-of-thirty-two-characters-or-more';
const KEY = 'svc_0123456789abcdefghijklmn';
const OTHER = 'svc_zyxwvutsrqponmlkjihgfedc';

const token = (claims: object, secret = SECRET) => jws({ alg: 'HS256' }, claims, hmac(256, secret));

describe('API keys', () => {
  const LISTS: [what: string, text: string, names: string[], mistakes: string[]][] = [
    ['with and without a name', `portal:${KEY}, ${OTHER}`, ['portal', 'key-1'], []],
    ['without a name, in their order', `${KEY},portal:${KEY}x,${OTHER}`, ['key-1', 'portal', 'key-2'], []],
    ['of Vietnamese names, line breaks and a last comma', `Cổng:${KEY},\n${OTHER},\n`, ['Cổng', 'key-1'], []],
    ['in an empty list', ' , ,\n', [], []],
    ['of 24 and 128 letters', `${'x'.repeat(24)},${'x'.repeat(128)}`, ['key-1', 'key-2'], []],
    ['of 23 and 129 letters', `${'x'.repeat(23)},${'x'.repeat(129)}`, [], ['item 1', 'item 2']],
    ['that stand twice', `a:${KEY},b:${KEY}`, ['a'], ['item 2 repeats a key']],
    ['of one name', `a:${KEY},a:${OTHER}`, ['a'], ['item 2 repeats a name']],
    ['of a name that another gets', `key-1:${KEY},${OTHER}`, ['key-1'], ['item 2 repeats a name']],
    ['of a name with control characters', `a\u0007b:${KEY}`, [], ['item 1']],
    ['of an empty name', `:${KEY}`, [], ['item 1']],
    ['of a long name', `${'a'.repeat(65)}:${KEY}`, [], ['item 1']],
    ['beside mistakes', `short,portal:${KEY},b:with spaces and more than 24`, ['portal'], ['item 1', 'item 3']],
  ];
  it('are read from a list, with mistakes by item', () => {
    for (const [what, text, names, mistakes] of LISTS) {
      const found = parseApiKeys(text);
      if (mistakes.length === 0)
        expect(
          found.keys.map(({ name }) => name),
          what,
        ).to.deep.equal(names);
      expect(found.mistakes, what).to.have.length(mistakes.length);
      for (const [index, start] of mistakes.entries()) expect(found.mistakes[index]).to.match(new RegExp(`^${start}`));
    }
  });

  it('are never repeated by a mistake, whichever way round they are written', () => {
    for (const text of [`${KEY}:portal`, `${KEY}!`, `${KEY}:${KEY}:x`, `a:${KEY},b:${KEY}`]) {
      expect(parseApiKeys(text).mistakes.join()).to.not.equal('').and.not.include(KEY.slice(4));
    }
  });

  it('are read in time that grows with the list, as a Secret may be of a megabyte', () => {
    const spent = processorTime();
    const text = Array.from({ length: 40_000 }, (_, n) => String(n).padStart(24, '0')).join();
    expect(parseApiKeys(text).keys).to.have.length(40_000);
    expect(spent(), 'milliseconds').to.be.below(5000);
  });
});

describe('the header Authorization', () => {
  const { keys } = parseApiKeys(`portal:${KEY},batch:${OTHER}`);
  const clock = () => NOW;
  const usual = createAuthenticator({ keys, jwtSecret: SECRET, clock });
  const onlyKeys = createAuthenticator({ keys, jwtSecret: '', clock });
  const onlyJwt = createAuthenticator({ keys: [], jwtSecret: SECRET, clock });
  const closed = createAuthenticator({ keys: [], jwtSecret: '', clock });

  async function verdict(header: string | undefined, authenticate = usual): Promise<string> {
    const result = await authenticate(header).catch((error: AppError) => error);
    if (!(result instanceof AppError)) return result;
    const { code, status, detail, headers } = result;
    expect(status).to.equal(401);
    expect(headers).to.deep.equal({ 'WWW-Authenticate': 'Bearer' });
    return code === 'unauthorized' ? String(detail['reason']) : code;
  }
  const bearer = (claims: object) => `Bearer ${token(claims)}`;
  const exp = SECONDS + 60;

  for (const [expected, headers] of [
    ['portal', [`Bearer ${KEY}`, `bearer ${KEY}`, `BEARER ${KEY}`, `Bearer   ${KEY}`, ` Bearer ${KEY} `]],
    ['batch', [`Bearer ${OTHER}`]],
    ['missing', [undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', KEY, `Bearer${KEY}`, 'Bearer\t']],
    ['invalid', [KEY.slice(0, -1), `${KEY}x`, KEY.toUpperCase(), `portal:${KEY}`].map((key) => `Bearer ${key}`)],
    ['invalid', [`${KEY},${OTHER}`, `${KEY} ${OTHER}`, 'x'.repeat(16_000)].map((key) => `Bearer ${key}`)],
    ['invalid', ['a.b', 'a.b.c.d', 'ключ', '__proto__'].map((key) => `Bearer ${key}`)],
    ['orders', [bearer({ sub: 'orders', exp })]],
    ['jwt', [bearer({ exp }), bearer({ sub: '', exp }), bearer({ sub: { admin: true }, exp })]],
    ['x'.repeat(128), [bearer({ sub: 'x'.repeat(1000), exp })]],
    ['token_expired', [bearer({ exp: SECONDS - 60 })]],
  ] as const) {
    it(`is ${expected.slice(0, 40)}: ${headers.length} ways`, async () => {
      for (const header of headers) expect(await verdict(header), String(header).slice(0, 60)).to.equal(expected);
    });
  }

  it('is checked against what is configured alone', async () => {
    expect(await verdict(`Bearer ${token({ exp }, '')}`, onlyKeys)).to.equal('invalid');
    expect(await verdict(`Bearer ${KEY}`, onlyKeys)).to.equal('portal');
    expect(await verdict(`Bearer ${KEY}`, onlyJwt)).to.equal('invalid');
    expect(await verdict(bearer({ exp }), onlyJwt)).to.equal('jwt');
    for (const header of [undefined, `Bearer ${KEY}`, bearer({ exp }), 'Bearer ']) {
      expect(await verdict(header, closed)).to.equal('no_keys_configured');
    }
  });

  it('is refused with a reason for the log, out of the answer', async () => {
    const error = await usual(bearer({ exp: 'x' })).catch((thrown) => thrown);
    expect(error.cause).to.equal('the JWT is refused: "exp" claim must be a number');
  });

  it('lets no request pass whose client has gone while it was checked', async () => {
    const passed: string[] = [];
    const app = express();
    const audit = { record: () => undefined, close: async () => undefined };
    const authenticator = async (client = '') => {
      if (client === 'gone') await once(socket.destroy(), 'close').then(() => closed.promise);
      return client;
    };
    const closed = Promise.withResolvers<void>();
    app.use((_request, response, next) => {
      response.once('close', () => setImmediate(closed.resolve));
      next();
    });
    app.get('/', authenticate({ authenticator, audit }), (request, response) => {
      passed.push(String(request.headers.authorization));
      response.end();
    });
    const server = app.listen(0, '127.0.0.1');
    const port = await listeningPort(server);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nAuthorization: gone\r\n\r\n');
    await closed.promise;
    await fetch(`http://127.0.0.1:${port}/`, { headers: { authorization: 'there' } });
    expect(passed).to.deep.equal(['there']);
    await close(server);
  });
});
