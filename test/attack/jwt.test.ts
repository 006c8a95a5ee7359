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
const OWN = 'm'.repeat(32);
const byOwn = hmac(256, OWN);
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

/** Headers over good claims. The first ones are signed with the secret as if they were HS256. */
const headers: [header: object | string, signer?: Signer][] = [
  ...['none', 'nOnE', 'hs256', 'RS256', 'PS256', 'EdDSA', 'HS256\0', '', null, ['HS256'], { toString: 'HS256' }].map(
    (alg): [object] => [{ alg }],
  ),
  [{ typ: 'JWT' }],
  ['{"alg":"HS256","alg":"none"}'],
  ['{"__proto__":{"alg":"HS256"}}'],
  [{ ...HS256, crit: ['x'], x: 1 }],
  [{ ...HS256, crit: [] }],
  [{ ...HS256, crit: 'exp' }],
  [{ ...HS256, crit: ['b64'], b64: false }],
  ['["HS256"]'],
  ['null'],
  ['{alg:HS256}'],
  [{ alg: 'none' }, nothing],
  [{ alg: 'None' }, nothing],
  [{ alg: 'HS384' }, hmac(384, SECRET)],
  [{ alg: 'HS512' }, hmac(512, SECRET)],
  [HS256, hmac(512, SECRET)],
  [{ alg: 'RS256' }, (text) => sign('sha256', Buffer.from(text), rsa.privateKey)],
  [{ alg: 'ES256' }, (text) => sign('sha256', Buffer.from(text), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' })],
  [{ alg: 'ES256' }, () => Buffer.alloc(64)],
  [{ alg: 'EdDSA', kid: 'other' }, ed25519(otherEd)],
  // Keys that the token names.
  [{ ...HS256, kid: '../../dev/null' }, hmac(256, '')],
  [{ ...HS256, kid: "' UNION SELECT 'x" }, hmac(256, 'x')],
  [{ ...HS256, kid: OWN }, byOwn],
  [{ ...HS256, jwk: { kty: 'oct', k: Buffer.from(OWN).toString('base64url') } }, byOwn],
  [{ ...HS256, jku: 'http://127.0.0.1:9/keys' }, byOwn],
  [{ ...HS256, x5u: 'http://127.0.0.1:9/', x5c: ['AAAA'] }, byOwn],
  [HS256, hmac(256, `${SECRET}x`)],
  [HS256, hmac(256, '')],
  [HS256, hmac(256, SECRET.toUpperCase())],
  [HS256, hmac(256, rsaPem)],
];

/** Payloads under a good signature. */
const payloads: unknown[] = [
  { sub: 'portal' },
  ...[String(SECONDS + 60), null, true, [SECONDS + 60]].map((exp) => ({ exp })),
  ...['NaN', 'Infinity', '1e999'].map((exp) => `{"exp":${exp}}`),
  // In milliseconds; in the year 9999; 25 hours and 24 hours and 61 seconds ahead.
  ...[NOW + 3_600_000, 253_402_300_799, SECONDS + 25 * 3600, SECONDS + 24 * 3600 + 61].map((exp) => ({ exp })),
  `{"__proto__":{"exp":${SECONDS + 60}}}`,
  `{"exp":${SECONDS + 60},"exp":"x"}`,
  { ...good, nbf: SECONDS + 3600 },
  { ...good, nbf: '0' },
  { ...good, iat: SECONDS + 3600 },
  { ...good, iat: '0' },
  ...['[1]', '"portal"', 'null', 'exp=1'],
  Buffer.from([0x7b, 0xff, 0x7d]),
  { ...good, pad: 'x'.repeat(8192) },
  `${'['.repeat(3000)}${']'.repeat(3000)}`,
];

const shapes: [string, string][] = [
  [
    'a header with bytes that are no UTF-8',
    `${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${body}.${signature}`,
  ],
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
  ['a megabyte', `${head}.${'A'.repeat(1_000_000)}.${signature}`],
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
    expect(await authenticate(`Bearer ${valid}`)).to.equal('portal');
  });

  it('whatever is wrong with its header, its claims or its shape', async () => {
    const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 80);
    for (const [name, token] of [
      ...headers.map(([header, by = bySecret], index) => [`header ${index}: ${show(header)}`, jws(header, good, by)]),
      ...payloads.map((payload) => [`claims: ${show(payload)}`, jws(HS256, payload, bySecret)]),
      ...shapes,
    ]) {
      await assertRefused(String(token), String(name));
    }
  });

  it('whatever letter of it is changed, and wherever it is cut', async () => {
    for (let index = 0; index < valid.length; index += 1) {
      const forged = [valid.slice(0, index + 1), ...(valid[index] === '.' ? [] : [flip(valid, index)])];
      for (const token of forged) if (token !== valid) await assertRefused(token, `letter ${index}`);
    }
  });
});

it('a secret that would let anybody in is refused at start-up', () => {
  for (const [secret, why] of [
    ['x', '32'],
    ['x'.repeat(31), '32'],
    [rsaPem, 'PEM'],
  ] as const) {
    expect(() => createAuthenticator({ keys: [], jwtSecret: secret, clock: () => NOW })).to.throw(TypeError, why);
  }
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

  const headers: [header: object, signer?: Signer][] = [
    [header, ed25519(otherEd)],
    [header, () => Buffer.alloc(64)],
    ...['other', undefined, 2026, '__proto__', 'constructor'].map((kid): [object] => [{ alg: 'EdDSA', kid }]),
    [{ ...header, jwk: toPublic(otherEd) }, ed25519(otherEd)],
    ...[rawPublic, publicJwk.x, JSON.stringify(publicJwk)].map((key): [object, Signer] => [
      { ...header, alg: 'HS256' },
      hmac(256, key),
    ]),
    ...['none', 'Ed25519', 'Ed448'].map((alg): [object] => [{ ...header, alg }]),
    [{ ...header, alg: 'none' }, nothing],
    [{ ...header, alg: 'RS256' }, (text) => sign('sha256', Buffer.from(text), rsa.privateKey)],
    [{ ...header, crit: ['x'], x: 1 }],
  ];
  const claims: object[] = [
    ...['120', 0, -50, 50.5, undefined].map((conns) => ({ conns })),
    ...['api_full', { api_full: true }, ['api_full', 1], undefined].map((features) => ({ features })),
    ...['4000000000', 253_402_300_800, -1, undefined].map((exp) => ({ exp })),
    ...['0', SECONDS + 360, undefined].map((iat) => ({ iat })),
    ...[1, '', undefined].map((sub) => ({ sub })),
    ...[{ nbf: SECONDS + 3600 }, { pad: 'x'.repeat(8192) }],
  ];
  const forged: [name: string, token: string][] = [
    ...headers.map(([own, by = byKey], index): [string, string] => [
      `header ${index}: ${JSON.stringify(own).slice(0, 80)}`,
      jws(own, license, by),
    ]),
    ...claims.map((change): [string, string] => [
      `claims: ${JSON.stringify(Object.entries(change)).slice(0, 80)}`,
      jws(header, { ...license, ...change }, byKey),
    ]),
    ['more connections under the same signature', withPayload(genuine, { ...license, conns: 5000 })],
    ['a later exp under the same signature', withPayload(genuine, { ...license, exp: 4e9 })],
    ['conns beyond all numbers', jws(header, JSON.stringify(license).replace('120', '1e999'), byKey)],
    ['exp beyond all numbers', jws(header, JSON.stringify(license).replace(/"exp":\d+/, '"exp":1e999'), byKey)],
    ['payload a list', jws(header, '[]', byKey)],
    ['cut', genuine.slice(0, -1)],
    ['no token at all', 'license'],
  ];
  for (const [name, token] of forged) {
    it(name, async () => {
      const { state, claims, graceDaysLeft, problem } = await readLicense(token, keys, NOW);
      expect({ state, claims, graceDaysLeft }).to.deep.equal({ state: 'invalid', claims: null, graceDaysLeft: null });
      expect(problem).to.be.a('string').that.does.not.include(token.slice(-20));
    });
  }
});
