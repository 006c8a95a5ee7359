import { expect } from 'chai';
import fc from 'fast-check';
import {
  effectiveSecrets,
  madeKeys,
  type SecretKey,
  secretsDigest,
} from '../../../../cmd/controller/desired/secrets.ts';
import { loadConfig as loadDocbuilder } from '../../../../cmd/docbuilder/config.ts';
import { loadConfig as loadGate } from '../../../../cmd/gate/config.ts';

/** Different at each call, as the real one. */
function counting(start = 0): (size: number) => Uint8Array {
  let count = start;
  return (size) => new Uint8Array(size).fill(++count);
}
const never = (): Uint8Array => {
  throw new Error('something was made');
};

const MADE: SecretKey[] = [
  'docbuilder-api-keys',
  'docbuilder-callback-secret',
  'embed-jwt-secret',
  'embed-callback-secret',
  'embed-link-secret',
  'editor-admin-username',
  'editor-admin-password',
  'digest-key',
];

describe('secret values of an instance', () => {
  it('are made where nobody gave them, each another one, in forms that the services take', () => {
    const values = effectiveSecrets({}, {}, counting());
    expect(Object.keys(values)).to.have.members(MADE);
    expect(new Set(Object.values(values)).size).to.equal(MADE.length);
    const { 'docbuilder-api-keys': keys, 'embed-jwt-secret': secret } = values;
    expect(loadDocbuilder({ SVC_DOCBUILDER_API_KEYS: keys }).apiKeys).to.have.length(1);
    expect(loadDocbuilder({ SVC_DOCBUILDER_API_KEYS: keys }).apiKeys[0]).to.include({ name: 'default' });
    expect(loadGate({ SVC_EMBED_JWT_SECRET: secret }).embed.jwtSecrets).to.deep.equal([secret]);
  });

  it('are made once: from then on nothing random is asked for', () => {
    const first = effectiveSecrets({}, {}, counting());
    expect(effectiveSecrets({}, first, never)).to.deep.equal(first);
  });

  it('are the given ones before all others, without line ends at their end', () => {
    const first = effectiveSecrets({}, {}, counting());
    const given = {
      values: { 'embed-jwt-secret': 'from the portal\r\n', 'docbuilder-jwt-secret': 'j\n', unknown: 'x' },
      admin: { username: 'root\n', password: 'p w\n' },
    };
    expect(effectiveSecrets(given, first, never)).to.deep.equal({
      ...first,
      'embed-jwt-secret': 'from the portal',
      'docbuilder-jwt-secret': 'j',
      'editor-admin-username': 'root',
      'editor-admin-password': 'p w',
    });
  });

  it('count as not given when empty', () => {
    const first = effectiveSecrets({}, {}, counting());
    expect(effectiveSecrets({ values: { 'embed-link-secret': '\n' } }, first, never)).to.deep.equal(first);
  });

  it('stay when their key is no longer given, but for those that turn something on', () => {
    const given = {
      values: { 'embed-callback-secret': 'c', 'embed-jwt-secret-previous': 'p', 'docbuilder-jwt-secret': 'j' },
    };
    const before = effectiveSecrets(given, {}, counting());
    const after = effectiveSecrets({ values: {} }, before, never);
    expect(after).to.include({ 'embed-callback-secret': 'c' });
    expect(after).to.not.have.any.keys('embed-jwt-secret-previous', 'docbuilder-jwt-secret');
  });

  it('all stay while the Secret that they came from is missing', () => {
    const given = { values: { 'embed-jwt-secret-previous': 'p', 'docbuilder-jwt-secret': 'j' } };
    const before = effectiveSecrets(given, {}, counting());
    expect(
      effectiveSecrets({ gone: ['embed-jwt-secret-previous', 'docbuilder-jwt-secret'] }, before, never),
    ).to.deep.equal(before);
  });

  it('are those of the store as long as it is named, also while its Secret is missing, and no longer', () => {
    const store = { 'database-url': 'postgresql://db/svc', 's3-access-key-id': 'id', 's3-secret-access-key': 's' };
    const before = effectiveSecrets({ store }, {}, counting());
    expect(before).to.include(store);
    expect(effectiveSecrets({ gone: ['database-url'] }, before, never)).to.include({
      'database-url': 'postgresql://db/svc',
    });
    expect(effectiveSecrets({}, before, never)).to.not.have.any.keys(...Object.keys(store));
    // A key of `spec.secrets` is none of them.
    expect(effectiveSecrets({ values: store }, {}, counting())).to.not.have.any.keys(...Object.keys(store));
  });

  it('have no secret for signing where unsigned configurations are to be taken, unless it is given', () => {
    const before = effectiveSecrets({}, {}, counting());
    expect(effectiveSecrets({ allowUnsigned: true }, before, never)).to.not.have.property('embed-jwt-secret');
    const given = { allowUnsigned: true, values: { 'embed-jwt-secret': 's' } };
    expect(effectiveSecrets(given, before, never)).to.include({ 'embed-jwt-secret': 's' });
  });

  it('have the one before for signing only beside one, as the gate would not start with it alone', () => {
    const given = { values: { 'embed-jwt-secret-previous': 'p' } };
    const before = effectiveSecrets({}, {}, counting());
    expect(effectiveSecrets(given, before, never)).to.include({ 'embed-jwt-secret-previous': 'p' });
    expect(effectiveSecrets({ ...given, allowUnsigned: true }, before, never)).to.not.have.any.keys(
      'embed-jwt-secret',
      'embed-jwt-secret-previous',
    );
  });

  it('that are new are told from those that were given or there', () => {
    const before = effectiveSecrets({}, {}, counting());
    expect(madeKeys({}, {}, before)).to.have.members(MADE);
    expect(madeKeys({}, before, before)).to.deep.equal([]);
    const { 'embed-link-secret': _, 'embed-callback-secret': __, ...existing } = before;
    const given = { values: { 'embed-link-secret': 'given' }, admin: { username: 'root' } };
    const values = effectiveSecrets(given, existing, counting());
    expect(madeKeys(given, existing, values)).to.deep.equal(['embed-callback-secret']);
  });

  it('cannot be guessed from their digest, which all may see who see pods', () => {
    const weak = { admin: { username: 'admin', password: 'letmein' } };
    const [one, other] = [effectiveSecrets(weak, {}, counting()), effectiveSecrets(weak, {}, counting(100))];
    expect(secretsDigest('editor', one)).not.to.equal(secretsDigest('editor', other));
  });

  it('change the digest of exactly those components that read them', () => {
    const base = effectiveSecrets({}, {}, counting());
    const readers: Record<SecretKey, string[]> = {
      'docbuilder-api-keys': ['docbuilder'],
      'docbuilder-jwt-secret': ['docbuilder'],
      'docbuilder-callback-secret': ['docbuilder'],
      'embed-jwt-secret': ['gate'],
      'embed-jwt-secret-previous': ['gate'],
      'embed-callback-secret': ['gate'],
      'embed-link-secret': ['gate'],
      'editor-admin-username': ['gate', 'editor'],
      'editor-admin-password': ['gate', 'editor'],
      'database-url': ['gate', 'docbuilder'],
      's3-access-key-id': ['gate', 'docbuilder'],
      's3-secret-access-key': ['gate', 'docbuilder'],
      'digest-key': ['gate', 'docbuilder', 'editor', 'front'],
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(readers) as SecretKey[])),
        fc.string({ minLength: 1 }),
        (key, value) => {
          const changed = { ...base, [key]: `${base[key] ?? ''}${value}` };
          for (const component of ['gate', 'docbuilder', 'editor', 'front'] as const) {
            const same = secretsDigest(component, changed) === secretsDigest(component, base);
            expect(same, `${component} and ${key}`).to.equal(!readers[key].includes(component));
          }
        },
      ),
    );
  });
});
