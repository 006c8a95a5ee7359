import { generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'chai';
import { createAuthenticator } from '../../cmd/docbuilder/http/auth.ts';
import { generateEd25519, toPublic } from '../../src/common/crypto/key-set.ts';
import { readLicense } from '../../src/common/crypto/license.ts';
import { ed25519, hmac, jws, type Signer } from '../support/jws.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SECONDS = NOW / 1000;
const SECRET = 'correct-horse-battery-staple-0123456789';

const HS256 = { alg: 'HS256', typ: 'JWT' };
const good = { sub: 'portal', exp: SECONDS + 3600 };
const bySecret = hmac(256, SECRET);
const nothing: Signer = () => Buffer.alloc(0);

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherEd = generateEd25519('other');

const valid = jws(HS256, good, bySecret);
const [head = '', body = '', signature = ''] = valid.split('.');

/** One letter of base64url other than the one at `index`. */
function flip(text: string, index: number): string {
  const letter = text.at(index) === 'A' ? 'B' : 'A';
  const at = index < 0 ? text.length + index : index;
  return text.slice(0, at) + letter + text.slice(at + 1);
}

const algorithms: [string, string][] = [
  ['alg none without a signature', jws({ alg: 'none' }, good, nothing)],
  ['alg none with a good HMAC', jws({ alg: 'none' }, good, bySecret)],
  ['alg None in another case', jws({ alg: 'None' }, good, nothing)],
  ['alg nOnE with a good HMAC', jws({ alg: 'nOnE' }, good, bySecret)],
  ['alg hs256 in small letters', jws({ alg: 'hs256' }, good, bySecret)],
  ['alg HS384, rightly signed', jws({ alg: 'HS384' }, good, hmac(384, SECRET))],
  ['alg HS512, rightly signed', jws({ alg: 'HS512' }, good, hmac(512, SECRET))],
  ['alg HS256 over a SHA-512 HMAC', jws(HS256, good, hmac(512, SECRET))],
  ['alg RS256 by an RSA key', jws({ alg: 'RS256' }, good, (t) => sign('sha256', Buffer.from(t), rsa.privateKey))],
  ['alg RS256 over a good HMAC', jws({ alg: 'RS256' }, good, bySecret)],
  ['alg PS256 over a good HMAC', jws({ alg: 'PS256' }, good, bySecret)],
  [
    'alg ES256 by an EC key',
    jws({ alg: 'ES256' }, good, (t) =>
      sign('sha256', Buffer.from(t), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }),
    ),
  ],
  ['alg ES256 over a zero signature', jws({ alg: 'ES256' }, good, () => Buffer.alloc(64))],
  ['alg EdDSA over a good HMAC', jws({ alg: 'EdDSA' }, good, bySecret)],
  ['alg EdDSA by a stranger key', jws({ alg: 'EdDSA', kid: 'other' }, good, ed25519(otherEd))],
  ['alg is absent', jws({ typ: 'JWT' }, good, bySecret)],
  ['alg is empty', jws({ alg: '' }, good, bySecret)],
  ['alg is null', jws({ alg: null }, good, bySecret)],
  ['alg is a list', jws({ alg: ['HS256'] }, good, bySecret)],
  ['alg is an object', jws({ alg: { toString: 'HS256' } }, good, bySecret)],
  ['alg with a NUL', jws({ alg: 'HS256\0' }, good, bySecret)],
  ['alg twice, the last one none', jws('{"alg":"HS256","alg":"none"}', good, bySecret)],
  ['alg only in __proto__', jws('{"__proto__":{"alg":"HS256"}}', good, bySecret)],
];

const headers: [string, string][] = [
  ['crit with an unknown parameter', jws({ ...HS256, crit: ['x'], x: 1 }, good, bySecret)],
  ['crit that is empty', jws({ ...HS256, crit: [] }, good, bySecret)],
  ['crit that is a text', jws({ ...HS256, crit: 'exp' }, good, bySecret)],
  ['crit b64 with an unencoded payload', jws({ ...HS256, crit: ['b64'], b64: false }, good, bySecret)],
  [
    'kid that climbs to an empty file, signed with nothing',
    jws({ ...HS256, kid: '../../dev/null' }, good, hmac(256, '')),
  ],
  ['kid with SQL, signed with its answer', jws({ ...HS256, kid: "' UNION SELECT 'x" }, good, hmac(256, 'x'))],
  ['kid that is the secret it is signed with', jws({ ...HS256, kid: 'k'.repeat(32) }, good, hmac(256, 'k'.repeat(32)))],
  [
    'jwk with the key it is signed with',
    jws(
      { ...HS256, jwk: { kty: 'oct', k: Buffer.from('m'.repeat(32)).toString('base64url') } },
      good,
      hmac(256, 'm'.repeat(32)),
    ),
  ],
  ['jku to a key set of its own', jws({ ...HS256, jku: 'http://127.0.0.1:9/keys' }, good, hmac(256, 'm'.repeat(32)))],
  ['x5u and x5c of its own', jws({ ...HS256, x5u: 'http://127.0.0.1:9/', x5c: ['AAAA'] }, good, hmac(256, 'm'))],
  ['header that is a list', jws('["HS256"]', good, bySecret)],
  ['header that is null', jws('null', good, bySecret)],
  ['header that is no JSON', jws('{alg:HS256}', good, bySecret)],
  [
    'header with bytes that are no UTF-8',
    `${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${body}.${signature}`,
  ],
];

const claims: [string, string][] = [
  ['no exp', jws(HS256, { sub: 'portal' }, bySecret)],
  ['exp as text', jws(HS256, { exp: String(SECONDS + 60) }, bySecret)],
  ['exp null', jws(HS256, { exp: null }, bySecret)],
  ['exp true', jws(HS256, { exp: true }, bySecret)],
  ['exp in a list', jws(HS256, { exp: [SECONDS + 60] }, bySecret)],
  ['exp NaN', jws(HS256, '{"exp":NaN}', bySecret)],
  ['exp Infinity', jws(HS256, '{"exp":Infinity}', bySecret)],
  ['exp beyond all numbers', jws(HS256, '{"exp":1e999}', bySecret)],
  ['exp in milliseconds', jws(HS256, { exp: NOW + 3_600_000 }, bySecret)],
  ['exp in the year 9999', jws(HS256, { exp: 253_402_300_799 }, bySecret)],
  ['exp 25 hours ahead', jws(HS256, { exp: SECONDS + 25 * 3600 }, bySecret)],
  ['exp 24 hours and 61 seconds ahead', jws(HS256, { exp: SECONDS + 24 * 3600 + 61 }, bySecret)],
  ['exp only in __proto__', jws(HS256, `{"__proto__":{"exp":${SECONDS + 60}}}`, bySecret)],
  ['exp twice, the last one a text', jws(HS256, `{"exp":${SECONDS + 60},"exp":"x"}`, bySecret)],
  ['nbf in an hour', jws(HS256, { ...good, nbf: SECONDS + 3600 }, bySecret)],
  ['nbf as text', jws(HS256, { ...good, nbf: '0' }, bySecret)],
  ['iat in an hour', jws(HS256, { ...good, iat: SECONDS + 3600 }, bySecret)],
  ['iat as text', jws(HS256, { ...good, iat: '0' }, bySecret)],
  ['payload that is a list', jws(HS256, '[1]', bySecret)],
  ['payload that is a text', jws(HS256, '"portal"', bySecret)],
  ['payload that is null', jws(HS256, 'null', bySecret)],
  ['payload that is no JSON', jws(HS256, 'exp=1', bySecret)],
  ['payload with bytes that are no UTF-8', jws(HS256, Buffer.from([0x7b, 0xff, 0x7d]), bySecret)],
];

const shapes: [string, string][] = [
  ['another secret', jws(HS256, good, hmac(256, `${SECRET}x`))],
  ['an empty secret', jws(HS256, good, hmac(256, ''))],
  ['the secret in another case', jws(HS256, good, hmac(256, SECRET.toUpperCase()))],
  ['a public PEM key as the secret', jws(HS256, good, hmac(256, rsaPem))],
  ['a changed header', `${flip(head, -1)}.${body}.${signature}`],
  ['a changed payload', `${head}.${flip(body, 5)}.${signature}`],
  ['another payload under the signature', withPayload(valid, { ...good, sub: 'admin' })],
  ['a changed signature', `${head}.${body}.${flip(signature, 3)}`],
  ['a signature with its unused bits set', `${head}.${body}.${unusedBits(signature)}`],
  ['a signature cut by a byte', `${head}.${body}.${signature.slice(0, -2)}`],
  ['a signature with a byte more', `${valid}AA`],
  ['no signature', `${head}.${body}.`],
  ['no payload', `${head}..${signature}`],
  ['no header', `.${body}.${signature}`],
  ['nothing but dots', '..'],
  ['padding', `${valid}=`],
  ['a line break inside', `${head}.${body}\n.${signature}`],
  ['a blank inside', `${head}.${body} .${signature}`],
  ['the standard alphabet of base64', `${head}.${body}.+${signature.slice(1)}`],
  ['letters beyond ASCII', `${head}.${body}.é${signature.slice(1)}`],
  ['full-width letters', `${head}.${body}.Ａ${signature.slice(1)}`],
  ['an unpaired surrogate', `${head}.${body}.\ud800${signature.slice(1)}`],
  ['a NUL at its end', `${valid}\0`],
  ['a quote around it', `"${valid}"`],
  ['more than 8 KiB, rightly signed', jws(HS256, { ...good, pad: 'x'.repeat(8192) }, bySecret)],
  ['a megabyte', `${head}.${'A'.repeat(1_000_000)}.${signature}`],
  ['deep nesting', jws(HS256, `${'['.repeat(3000)}${']'.repeat(3000)}`, bySecret)],
];

/** Other claims under the signature of `token`. */
function withPayload(token: string, payload: object): string {
  const [header = '', , signature = ''] = token.split('.');
  return [header, Buffer.from(JSON.stringify(payload)).toString('base64url'), signature].join('.');
}

/** The same bytes in another spelling: 32 bytes are 43 letters, of whose last two bits nothing is read. */
function unusedBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.slice(-1)) + 1];
}

describe('a forged JWT is refused as unauthorized', () => {
  const authenticate = createAuthenticator({ keys: [], jwtSecret: SECRET, clock: () => NOW });
  /** One answer for them all: it tells nothing of how near a forgery came. */
  const assertRefused = async (token: string, what: string): Promise<void> => {
    const error = await authenticate(`Bearer ${token}`).catch((thrown) => thrown);
    expect(error, what).to.deep.include({
      ...{ code: 'unauthorized', status: 401, detail: { reason: 'invalid' } },
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  };

  it('and the one that the forgeries are made from passes', async () => {
    expect(await authenticate(`Bearer ${valid}`)).to.deep.equal({ kind: 'jwt', name: 'portal' });
  });

  for (const [group, rows] of Object.entries({ algorithms, headers, claims, shapes })) {
    it(`in each of its ${group}`, async () => {
      for (const [name, token] of rows) await assertRefused(token, name);
    });
  }

  it('wherever a letter of it is changed', async () => {
    for (let index = 0; index < valid.length; index += 1) {
      if (valid[index] !== '.') await assertRefused(flip(valid, index), `letter ${index}`);
    }
  });

  it('wherever it is cut', async () => {
    for (let length = 1; length < valid.length; length += 1) await assertRefused(valid.slice(0, length), `${length}`);
  });
});

describe('a secret that would let anybody in is refused at start-up', () => {
  const start = (secret: string) => () => createAuthenticator({ keys: [], jwtSecret: secret, clock: () => NOW });

  it('one byte', () => expect(start('x')).to.throw(TypeError, '32'));
  it('31 characters', () => expect(start('x'.repeat(31))).to.throw(TypeError, '32'));
  it('a public key as a PEM document', () => expect(start(rsaPem)).to.throw(TypeError, 'PEM'));
});

describe('a forged licence is invalid', () => {
  const key = generateEd25519('2026');
  const publicJwk = toPublic(key);
  const keys = new Map([['2026', publicJwk]]);
  const header = { alg: 'EdDSA', kid: '2026' };
  const license = { sub: 'Company', conns: 120, features: ['api_full'], iat: SECONDS - 60, exp: SECONDS + 86_400 };
  const byKey = ed25519(key);
  const rawPublic = Buffer.from(publicJwk.x, 'base64url');
  const genuine = jws(header, license, byKey);

  it('and the one that the forgeries are made from is valid', async () => {
    expect((await readLicense(genuine, keys, NOW)).state).to.equal('valid');
  });

  const rows: [string, string][] = [
    ['signed with another key under the kid', jws(header, license, ed25519(otherEd))],
    ['a kid that is unknown', jws({ alg: 'EdDSA', kid: 'other' }, license, byKey)],
    ['no kid', jws({ alg: 'EdDSA' }, license, byKey)],
    ['kid as a number', jws({ alg: 'EdDSA', kid: 2026 }, license, byKey)],
    ['kid __proto__', jws({ alg: 'EdDSA', kid: '__proto__' }, license, byKey)],
    ['kid constructor', jws({ alg: 'EdDSA', kid: 'constructor' }, license, byKey)],
    ['a jwk of its own', jws({ ...header, jwk: toPublic(otherEd) }, license, ed25519(otherEd))],
    [
      'alg HS256 with the raw public key as the secret',
      jws({ ...header, alg: 'HS256' }, license, hmac(256, rawPublic)),
    ],
    ['alg HS256 with x of the public key', jws({ ...header, alg: 'HS256' }, license, hmac(256, publicJwk.x))],
    [
      'alg HS256 with the JWK as the secret',
      jws({ ...header, alg: 'HS256' }, license, hmac(256, JSON.stringify(publicJwk))),
    ],
    ['alg none', jws({ ...header, alg: 'none' }, license, nothing)],
    ['alg none over a good signature', jws({ ...header, alg: 'none' }, license, byKey)],
    ['alg RS256', jws({ ...header, alg: 'RS256' }, license, (t) => sign('sha256', Buffer.from(t), rsa.privateKey))],
    ['alg Ed25519, rightly signed', jws({ ...header, alg: 'Ed25519' }, license, byKey)],
    ['alg Ed448', jws({ ...header, alg: 'Ed448' }, license, byKey)],
    ['a zero signature', jws(header, license, () => Buffer.alloc(64))],
    ['crit', jws({ ...header, crit: ['x'], x: 1 }, license, byKey)],
    ['more connections under the same signature', withPayload(genuine, { ...license, conns: 5000 })],
    ['a later exp under the same signature', withPayload(genuine, { ...license, exp: 4e9 })],
    ['cut', genuine.slice(0, -1)],
    ['more than 8 KiB', jws(header, { ...license, pad: 'x'.repeat(8192) }, byKey)],
    ['conns as text', jws(header, { ...license, conns: '120' }, byKey)],
    ['conns zero', jws(header, { ...license, conns: 0 }, byKey)],
    ['conns below zero', jws(header, { ...license, conns: -50 }, byKey)],
    ['conns a fraction', jws(header, { ...license, conns: 50.5 }, byKey)],
    ['conns beyond all numbers', jws(header, JSON.stringify(license).replace('120', '1e999'), byKey)],
    ['no conns', jws(header, { ...license, conns: undefined }, byKey)],
    ['features as text', jws(header, { ...license, features: 'api_full' }, byKey)],
    ['features an object', jws(header, { ...license, features: { api_full: true } }, byKey)],
    ['a feature that is a number', jws(header, { ...license, features: ['api_full', 1] }, byKey)],
    ['no features', jws(header, { ...license, features: undefined }, byKey)],
    ['no exp', jws(header, { ...license, exp: undefined }, byKey)],
    ['exp as text', jws(header, { ...license, exp: '4000000000' }, byKey)],
    ['exp beyond all numbers', jws(header, JSON.stringify(license).replace(/"exp":\d+/, '"exp":1e999'), byKey)],
    ['exp beyond the year 9999', jws(header, { ...license, exp: 253_402_300_800 }, byKey)],
    ['exp below zero', jws(header, { ...license, exp: -1 }, byKey)],
    ['no iat', jws(header, { ...license, iat: undefined }, byKey)],
    ['iat as text', jws(header, { ...license, iat: '0' }, byKey)],
    ['iat six minutes ahead', jws(header, { ...license, iat: SECONDS + 360 }, byKey)],
    ['nbf in an hour', jws(header, { ...license, nbf: SECONDS + 3600 }, byKey)],
    ['sub as a number', jws(header, { ...license, sub: 1 }, byKey)],
    ['sub empty', jws(header, { ...license, sub: '' }, byKey)],
    ['no sub', jws(header, { ...license, sub: undefined }, byKey)],
    ['payload a list', jws(header, '[]', byKey)],
    ['no token at all', 'license'],
  ];
  for (const [name, token] of rows) {
    it(name, async () => {
      const { state, claims, graceDaysLeft, problem } = await readLicense(token, keys, NOW);
      expect({ state, claims, graceDaysLeft }).to.deep.equal({ state: 'invalid', claims: null, graceDaysLeft: null });
      expect(problem).to.be.a('string').that.does.not.include(token.slice(-20));
    });
  }
});
