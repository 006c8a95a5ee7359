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
const set = (...keys: unknown[]) => parseKeySet(JSON.stringify({ keys }));

describe('generateEd25519', () => {
  it('makes two halves that belong together, another pair each time', () => {
    const message = Buffer.from('message');
    const signature = sign(null, message, createPrivateKey({ key: { ...key }, format: 'jwk' }));
    expect(verify(null, message, createPublicKey({ key: { ...publicKey }, format: 'jwk' }), signature)).to.equal(true);
    expect(generateEd25519('a').x).not.to.equal(key.x);
  });

  it('names a key by its RFC 7638 thumbprint, which fits in a file name', () => {
    const { kid } = generateEd25519();
    expect(kid).to.have.lengthOf(43);
    // A thumbprint may begin with a dash or an underscore, so look at many.
    for (let i = 0; i < 50; i += 1) expect(generateEd25519().kid).to.match(KID_PATTERN);
  });
});

describe('toPublic', () => {
  it('leaves the secret out', () => {
    expect(publicKey).to.not.have.property('d');
    expect(JSON.stringify(publicKey)).to.not.include(key.d);
  });
});

describe('parseKeySet', () => {
  it('finds the Ed25519 keys by their kid', () => {
    const other = toPublic(generateEd25519('b'));
    const parsed = set(publicKey, other);
    expect(parsed.ok && [...parsed.value]).to.deep.equal([
      ['a', publicKey],
      ['b', other],
    ]);
  });

  it('takes a key that does not say alg and use', () => {
    const { kty, crv, x, kid } = publicKey;
    const parsed = set({ kty, crv, x, kid });
    expect(parsed.ok && parsed.value.get('a')).to.deep.equal(publicKey);
  });

  it('skips keys that are of no use here', () => {
    const { kid: _, ...nameless } = publicKey;
    const parsed = set(
      { kty: 'RSA', n: 'x', e: 'AQAB', kid: 'r' },
      { ...publicKey, kid: 'encryption', use: 'enc' },
      { ...publicKey, kid: 'curve', crv: 'X25519' },
      { ...publicKey, kid: 'short', x: 'AAAA' },
      nameless,
      null,
      'key',
      publicKey,
    );
    expect(parsed.ok && [...parsed.value.keys()]).to.deep.equal(['a']);
  });

  it('takes a set of no keys for what it says: nobody is trusted', () => {
    const parsed = set();
    expect(parsed.ok && [...parsed.value]).to.deep.equal([]);
  });

  for (const [name, parsed, problem] of [
    ['a private key', set(publicKey, key), 'private'],
    ['a private RSA key', set(publicKey, { kty: 'RSA', n: 'x', e: 'AQAB', d: 'x', kid: 'r' }), 'private'],
    ['a kid that stands twice', set(publicKey, { ...toPublic(generateEd25519()), kid: 'a' }), 'two keys'],
    ['only a key of another kind', set({ kty: 'RSA', n: 'x', e: 'AQAB', kid: 'r' }), 'no Ed25519 key'],
    ['no list', parseKeySet('{"keys":{}}'), 'not a JWK Set'],
    ['a single JWK', parseKeySet(JSON.stringify(publicKey)), 'not a JWK Set'],
    ['a single private JWK', parseKeySet(JSON.stringify(key)), 'is a private key'],
    ['null', parseKeySet('null'), 'not a JWK Set'],
    ['no JSON', parseKeySet('-----BEGIN PUBLIC KEY-----'), 'not a JWK Set'],
    ['nothing', parseKeySet(''), 'not a JWK Set'],
  ] as const) {
    it(`refuses a set with ${name}`, () => {
      expect(parsed.ok).to.equal(false);
      expect(!parsed.ok && parsed.problem)
        .to.include(problem)
        .and.not.include(key.d);
    });
  }
});

describe('parsePrivateKey', () => {
  it('reads what generateEd25519 made', () => {
    expect(parsePrivateKey(JSON.stringify(key))).to.deep.equal({ ok: true, value: key });
  });

  it('refuses two halves that are no pair', () => {
    const { x } = generateEd25519();
    expect(parsePrivateKey(JSON.stringify({ ...key, x })).ok).to.equal(false);
  });

  it('refuses a public key, a key without a kid, and what is no key', () => {
    for (const text of [JSON.stringify(publicKey), JSON.stringify({ ...key, kid: undefined }), '[]', 'null', 'x']) {
      expect(parsePrivateKey(text).ok, text).to.equal(false);
    }
  });
});
