import { expect } from 'chai';
import fc from 'fast-check';
import { createAuthenticator } from '../../../../cmd/docbuilder/http/auth.ts';
import { type ApiKeys, parseApiKeys } from '../../../../src/common/api-keys.ts';
import { hmac, jws } from '../../../support/jws.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SECONDS = NOW / 1000;
const SECRET = 'a-secret-of-thirty-two-characters-or-more';
const KEY = 'svc_0123456789abcdefghijklmn';
const OTHER = 'svc_zyxwvutsrqponmlkjihgfedc';

const token = (claims: object, secret = SECRET) => jws({ alg: 'HS256' }, claims, hmac(256, secret));

describe('parseApiKeys', () => {
  const keysOf = (text: string) => parseApiKeys(text).keys;
  const mistakesOf = (text: string) => parseApiKeys(text).mistakes;

  it('reads keys with and without a name', () => {
    expect(parseApiKeys(`portal:${KEY}, ${OTHER}`)).to.deep.equal({
      keys: [
        { name: 'portal', key: KEY },
        { name: 'key-1', key: OTHER },
      ],
      mistakes: [],
    });
  });

  it('names keys without a name in their order', () => {
    const keys = keysOf(`${KEY},portal:${KEY}x,${OTHER}`);
    expect(keys.map(({ name }) => name)).to.deep.equal(['key-1', 'portal', 'key-2']);
  });

  it('finds nothing in an empty list, and nothing wrong with it', () => {
    for (const text of ['', ' ', ',', ' , ,\n']) expect(parseApiKeys(text)).to.deep.equal({ keys: [], mistakes: [] });
  });

  it('takes names in Vietnamese, line breaks around items, and a comma at the end', () => {
    expect(keysOf(`Cổng thông tin:${KEY},\n${OTHER},\n`)).to.have.lengthOf(2);
  });

  it('takes keys of 24 to 128 letters', () => {
    expect(mistakesOf('x'.repeat(24))).to.deep.equal([]);
    expect(mistakesOf('x'.repeat(128))).to.deep.equal([]);
    expect(mistakesOf('x'.repeat(23))).to.have.lengthOf(1);
    expect(mistakesOf('x'.repeat(129))).to.have.lengthOf(1);
  });

  it('calls a key or a name that stands twice a mistake', () => {
    expect(mistakesOf(`a:${KEY},b:${KEY}`)).to.deep.equal(['item 2 repeats a key']);
    expect(mistakesOf(`a:${KEY},a:${OTHER}`)).to.deep.equal(['item 2 repeats a name']);
    expect(mistakesOf(`key-1:${KEY},${OTHER}`)).to.deep.equal(['item 2 repeats a name']);
  });

  it('calls a name that would spoil a log line a mistake', () => {
    expect(mistakesOf(`a\u0007b:${KEY}`)).to.have.lengthOf(1);
    expect(mistakesOf(`:${KEY}`)).to.have.lengthOf(1);
    expect(mistakesOf(`${'a'.repeat(65)}:${KEY}`)).to.have.lengthOf(1);
  });

  it('reports every mistake by the item’s number', () => {
    const mistakes = mistakesOf(`short,portal:${KEY},b:with spaces and more than 24`);
    expect(mistakes.map((mistake) => mistake.slice(0, 6))).to.deep.equal(['item 1', 'item 3']);
  });

  it('never repeats anything of a faulty item, whichever way round it was written', () => {
    for (const text of [`${KEY}:portal`, `${KEY}!`, `${KEY}:${KEY}:x`, `a:${KEY},b:${KEY}`]) {
      const mistakes = mistakesOf(text).join();
      expect(mistakes).not.to.equal('');
      expect(mistakes).not.to.include(KEY.slice(4));
    }
  });
});

describe('createAuthenticator', () => {
  const keys: ApiKeys = [
    { name: 'portal', key: KEY },
    { name: 'batch', key: OTHER },
  ];
  const { authenticate } = createAuthenticator({ keys, jwtSecret: SECRET, clock: () => NOW });

  async function refusal(authorization: string | undefined, by = authenticate) {
    const result = await by(authorization);
    if (result.ok) throw new Error('it was let in');
    const { code, status, detail, headers } = result.error;
    expect(status).to.equal(401);
    expect(headers).to.deep.equal({ 'WWW-Authenticate': 'Bearer' });
    return { code, ...detail };
  }
  const unauthorized = (reason: string) => ({ code: 'unauthorized', reason });

  it('knows each key by its name', async () => {
    expect(await authenticate(`Bearer ${KEY}`)).to.deep.equal({ ok: true, caller: { kind: 'key', name: 'portal' } });
    expect(await authenticate(`Bearer ${OTHER}`)).to.deep.equal({ ok: true, caller: { kind: 'key', name: 'batch' } });
  });

  it('reads the scheme in any case and with any number of blanks', async () => {
    for (const header of [`bearer ${KEY}`, `BEARER ${KEY}`, `Bearer   ${KEY}`, ` Bearer ${KEY} `]) {
      expect((await authenticate(header)).ok, header).to.equal(true);
    }
  });

  it('calls it missing when no Bearer value is presented', async () => {
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', KEY, `Bearer${KEY}`, 'Bearer\t']) {
      expect(await refusal(header), String(header)).to.deep.equal(unauthorized('missing'));
    }
  });

  it('calls every other value invalid', async () => {
    for (const value of [
      KEY.slice(0, -1),
      `${KEY}x`,
      KEY.toUpperCase(),
      `portal:${KEY}`,
      `${KEY},${OTHER}`,
      `${KEY} ${OTHER}`,
      'x',
      'x'.repeat(16_000),
      'a.b',
      'a.b.c.d',
      'ключ',
      '__proto__',
    ]) {
      expect(await refusal(`Bearer ${value}`), value.slice(0, 40)).to.deep.equal(unauthorized('invalid'));
    }
  });

  it('lets nothing in but its keys', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (value) => !(await authenticate(`Bearer ${value}`)).ok),
    );
  });

  it('takes a JWT of its secret, and calls it by its sub', async () => {
    const claims = { sub: 'orders', exp: SECONDS + 60 };
    const caller = { kind: 'jwt', name: 'orders' };
    expect(await authenticate(`Bearer ${token(claims)}`)).to.deep.equal({ ok: true, caller });
  });

  it('calls a JWT without a usable sub jwt, and cuts one that is too long for a log line', async () => {
    const nameOf = async (sub: unknown) => {
      const result = await authenticate(`Bearer ${token({ sub, exp: SECONDS + 60 })}`);
      return result.ok ? result.caller.name : undefined;
    };
    expect(await nameOf(undefined)).to.equal('jwt');
    expect(await nameOf('')).to.equal('jwt');
    expect(await nameOf({ admin: true })).to.equal('jwt');
    expect(await nameOf('x'.repeat(1000))).to.equal('x'.repeat(128));
  });

  it('allows a JWT 24 hours and 60 seconds of skew', async () => {
    expect((await authenticate(`Bearer ${token({ exp: SECONDS + 24 * 3600 })}`)).ok).to.equal(true);
    expect((await authenticate(`Bearer ${token({ exp: SECONDS - 59 })}`)).ok).to.equal(true);
    expect(await refusal(`Bearer ${token({ exp: SECONDS - 60 })}`)).to.deep.equal({ code: 'token_expired' });
    expect(await refusal(`Bearer ${token({ exp: SECONDS + 25 * 3600 })}`)).to.deep.equal(unauthorized('invalid'));
  });

  it('refuses JWTs when no secret is set, also those that are signed with none', async () => {
    const withoutJwt = createAuthenticator({ keys, jwtSecret: '', clock: () => NOW });
    const value = `Bearer ${token({ exp: SECONDS + 60 }, '')}`;
    expect(await refusal(value, withoutJwt.authenticate)).to.deep.equal(unauthorized('invalid'));
    expect((await withoutJwt.authenticate(`Bearer ${KEY}`)).ok).to.equal(true);
  });

  it('refuses API keys when only a JWT secret is set', async () => {
    const onlyJwt = createAuthenticator({ keys: [], jwtSecret: SECRET, clock: () => NOW });
    expect(await refusal(`Bearer ${KEY}`, onlyJwt.authenticate)).to.deep.equal(unauthorized('invalid'));
    expect((await onlyJwt.authenticate(`Bearer ${token({ exp: SECONDS + 60 })}`)).ok).to.equal(true);
  });

  it('tells the administrator that nothing is configured, whatever is presented', async () => {
    const closed = createAuthenticator({ keys: [], jwtSecret: '', clock: () => NOW });
    for (const header of [undefined, `Bearer ${KEY}`, `Bearer ${token({ exp: SECONDS + 60 })}`, 'Bearer ']) {
      expect(await refusal(header, closed.authenticate)).to.deep.equal(unauthorized('no_keys_configured'));
    }
  });

  it('keeps the reason for the log and out of the answer', async () => {
    const result = await authenticate(`Bearer ${token({ exp: 'x' })}`);
    expect(!result.ok && result.error.cause).to.equal('the JWT is refused: "exp" claim must be a number');
  });
});
