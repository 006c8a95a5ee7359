import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { expect } from 'chai';
import {
  generateEd25519,
  KID_PATTERN,
  parseKeySet,
  parsePrivateKey,
  toPublic,
} from '../../../../src/common/crypto/key-set.ts';

const key = generateEd25519('a');
const publicKey = toPublic(key);
const other = toPublic(generateEd25519('b'));
const RSA = { kty: 'RSA', n: 'x', e: 'AQAB', kid: 'r' };
const toText = (...keys: unknown[]) => JSON.stringify({ keys });

describe('a key pair', () => {
  it('has two halves that belong together, another pair each time, the secret in one alone', () => {
    const message = Buffer.from('message');
    const signature = sign(null, message, createPrivateKey({ key: { ...key }, format: 'jwk' }));
    expect(verify(null, message, createPublicKey({ key: { ...publicKey }, format: 'jwk' }), signature)).to.equal(true);
    expect(generateEd25519('a').x).not.to.equal(key.x);
    expect(JSON.stringify(publicKey)).to.not.include(key.d);
  });

  it('is called by its RFC 7638 thumbprint, which fits in a file name', () => {
    // A thumbprint may begin with a dash or an underscore, so look at many.
    for (let i = 0; i < 50; i += 1) {
      expect(generateEd25519().kid).to.match(KID_PATTERN).and.have.lengthOf(43);
    }
  });

  it('is read from its private half, and from no text that is none', () => {
    expect(parsePrivateKey(JSON.stringify(key))).to.deep.equal({ ok: true, value: key });
    const wrong = [{ ...key, x: generateEd25519().x }, publicKey, { ...key, kid: undefined }, [], null];
    for (const text of [...wrong.map((value) => JSON.stringify(value)), 'x']) {
      expect(parsePrivateKey(text).ok, text).to.equal(false);
    }
  });
});

describe('a key set', () => {
  const { kid: _, ...nameless } = publicKey;
  const { kty, crv, x, kid } = publicKey;
  const useless = [
    ...[RSA, { ...publicKey, kid: 'encryption', use: 'enc' }, { ...publicKey, kid: 'curve', crv: 'X25519' }],
    ...[{ ...publicKey, kid: 'short', x: 'AAAA' }, nameless, null, 'key'],
  ];
  it('has Ed25519 keys by their kid, also such as do not say alg and use; other keys are left out', () => {
    for (const [keys, found] of [
      [[publicKey, other], { a: publicKey, b: other }],
      [[{ kty, crv, x, kid }], { a: publicKey }],
      [[...useless, publicKey], { a: publicKey }],
      // Nobody is trusted.
      [[], {}],
    ]) {
      const parsed = parseKeySet(toText(...(keys as unknown[])));
      expect(parsed.ok && Object.fromEntries(parsed.value)).to.deep.equal(found);
    }
  });

  it('is refused with a private key or a kid that stands twice, and where it is none', () => {
    for (const [text, problem] of [
      [toText(publicKey, key), 'private'],
      [toText(publicKey, { ...RSA, d: 'x' }), 'private'],
      [toText(publicKey, { ...other, kid: 'a' }), 'two keys'],
      [toText(RSA), 'no Ed25519 key'],
      [JSON.stringify(key), 'is a private key'],
      ...['{"keys":{}}', JSON.stringify(publicKey), 'null', '-----BEGIN PUBLIC KEY-----', ''].map((none) => [
        none,
        'not a JWK Set',
      ]),
    ] as [string, string][]) {
      const parsed = parseKeySet(text);
      expect(!parsed.ok && parsed.problem, text)
        .to.include(problem)
        .and.not.include(key.d);
    }
  });
});
