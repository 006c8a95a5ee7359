import { expect } from 'chai';
import {
  effectiveSecrets,
  type GivenSecrets,
  madeKeys,
  type SecretKey,
  secretsDigest,
} from '../../../../cmd/controller/desired/secrets.ts';
import { loadConfig as loadDocbuilder } from '../../../../cmd/docbuilder/config.ts';
import { loadConfig as loadGate } from '../../../../cmd/gate/config.ts';
import { processorTime } from '../../../support/processor-time.ts';

/** Different at each call, as the real one. */
function counting(start = 0): (size: number) => Uint8Array {
  let count = start;
  return (size) => new Uint8Array(size).fill(++count);
}
const never = (): Uint8Array => {
  throw new Error('something was made');
};

const MADE: SecretKey[] = [
  ...(['docbuilder-api-keys', 'docbuilder-callback-secret', 'embed-jwt-secret', 'embed-callback-secret'] as const),
  ...(['embed-link-secret', 'editor-admin-username', 'editor-admin-password', 'digest-key'] as const),
];
/** Those that exist from before. */
const FIRST = effectiveSecrets({}, {}, counting());
const PREVIOUS = { 'embed-jwt-secret-previous': 'p' };
const STORE = { 'database-url': 'postgresql://db/svc', 's3-access-key-id': 'id', 's3-secret-access-key': 's' };
const TURNS_ON = { ...PREVIOUS, 'docbuilder-jwt-secret': 'j' };
const getKeys = (values: object) => Object.keys(values) as SecretKey[];
const without = (values: object) => Object.fromEntries(getKeys(values).map((key) => [key, undefined]));

/** Changes of the values from before, where nothing is made: undefined is absent. */
const CASES: readonly [
  what: string,
  given: GivenSecrets,
  before: object,
  changes: Record<string, string | undefined>,
][] = [
  ['stay where nobody gives others', {}, {}, {}],
  [
    'are the given ones before all others, without line ends at their end',
    {
      values: { 'embed-jwt-secret': 'from the portal\r\n', 'docbuilder-jwt-secret': 'j\n', unknown: 'x' },
      admin: { username: 'root\n', password: 'p w\n' },
    },
    {},
    {
      ...{ 'embed-jwt-secret': 'from the portal', 'docbuilder-jwt-secret': 'j' },
      ...{ 'editor-admin-username': 'root', 'editor-admin-password': 'p w' },
    },
  ],
  ['count as not given when empty', { values: { 'embed-link-secret': '\n' } }, {}, {}],
  ['stay when their key is no longer given', { values: {} }, { 'embed-callback-secret': 'c' }, {}],
  ['go when their key is no longer given and they turn something on', { values: {} }, TURNS_ON, without(TURNS_ON)],
  ['all stay while the Secret that they came from is missing', { gone: getKeys(TURNS_ON) }, TURNS_ON, {}],
  ['are those of the store that is named', { store: STORE }, {}, STORE],
  ['stay those of the store while its Secret is missing', { gone: getKeys(STORE) }, STORE, {}],
  ['go with the store', {}, STORE, without(STORE)],
  ['are no keys of the store in spec.secrets', { values: STORE }, {}, {}],
  ['have none for signing beside unsigned ones', { allowUnsigned: true }, {}, { 'embed-jwt-secret': undefined }],
  [
    'have the given one for signing also with unsigned configurations',
    { allowUnsigned: true, values: { 'embed-jwt-secret': 's' } },
    {},
    { 'embed-jwt-secret': 's' },
  ],
  ['have the one before for signing beside one', { values: PREVIOUS }, {}, PREVIOUS],
  [
    'have the one before for signing only beside one, as the gate would not start with it alone',
    { values: PREVIOUS, allowUnsigned: true },
    {},
    { 'embed-jwt-secret': undefined },
  ],
];

describe('secret values of an instance', () => {
  it('are made where nobody gave them, each another one, in forms that the services take', () => {
    expect(Object.keys(FIRST)).to.have.members(MADE);
    expect(new Set(Object.values(FIRST)).size).to.equal(MADE.length);
    const { 'docbuilder-api-keys': keys, 'embed-jwt-secret': secret } = FIRST;
    const { apiKeys } = loadDocbuilder({ SVC_DOCBUILDER_API_KEYS: keys });
    expect(apiKeys.map(({ name }) => name)).to.deep.equal(['default']);
    expect(loadGate({ SVC_EMBED_JWT_SECRET: secret }).embed.jwtSecrets).to.deep.equal([secret]);
  });

  it('hold the controller up no longer than their length asks, whatever is in them', () => {
    const spent = processorTime();
    const value = `${'\n'.repeat(60_000)}x`;
    expect(effectiveSecrets({ values: { 'embed-jwt-secret': value } }, FIRST, never)).to.include({
      'embed-jwt-secret': value,
    });
    expect(spent(), 'milliseconds').to.be.below(1000);
  });

  for (const [what, given, before, changes] of CASES) {
    it(what, () => {
      const existing = { ...FIRST, ...before };
      const expected = Object.entries({ ...existing, ...changes }).filter(([, value]) => value !== undefined);
      expect(effectiveSecrets(given, existing, never)).to.deep.equal(Object.fromEntries(expected));
    });
  }

  it('that are new are told from those that were given or there', () => {
    expect(madeKeys({}, {}, FIRST)).to.have.members(MADE);
    expect(madeKeys({}, FIRST, FIRST)).to.deep.equal([]);
    const { 'embed-link-secret': _, 'embed-callback-secret': __, ...existing } = FIRST;
    const given = { values: { 'embed-link-secret': 'given' }, admin: { username: 'root' } };
    const values = effectiveSecrets(given, existing, counting());
    expect(madeKeys(given, existing, values)).to.deep.equal(['embed-callback-secret']);
  });

  it('cannot be guessed from their digest, which all may see who see pods', () => {
    const weak = { admin: { username: 'admin', password: 'letmein' } };
    const [one, other] = [effectiveSecrets(weak, {}, counting()), effectiveSecrets(weak, {}, counting(100))];
    expect(secretsDigest('editor', one)).not.to.equal(secretsDigest('editor', other));
  });
});
