import { expect } from 'chai';
import { givenRemark, givenTrouble, keptTrouble } from '../../../../cmd/controller/reconcile/given-secrets.ts';

const LONG = 'a secret of more than thirty-two characters';
const findPodTrouble = (values: Record<string, string | Buffer>) =>
  givenTrouble(
    'spec.secrets.secretName',
    'given',
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  );

describe('a Secret that the spec names', () => {
  it('is taken when the services would take its values', () => {
    const values = { 'docbuilder-api-keys': `portal:${'k'.repeat(24)}\n`, 'embed-jwt-secret': `${LONG}\n` };
    expect(findPodTrouble(values)).to.equal(undefined);
    expect(findPodTrouble({ username: 'admin', password: 'pässword', 'embed-link-secret': '' })).to.equal(undefined);
    expect(findPodTrouble({})).to.equal(undefined);
  });

  it('is not where a service would refuse to start with it; the values are not told', () => {
    const trouble = findPodTrouble({
      'docbuilder-api-keys': `portal:${'k'.repeat(24)}, other:hunter2`,
      'docbuilder-jwt-secret': `-----BEGIN PUBLIC KEY-----\n${LONG}`,
      'embed-jwt-secret': 'hunter2\r\n',
      'embed-callback-secret': Buffer.from([0xc3, 0x28]),
    });
    expect(trouble).to.deep.equal({
      reason: 'SecretUnusable',
      stalled: true,
      message:
        'Secret given, which spec.secrets.secretName names, cannot be used: ' +
        'docbuilder-api-keys item 2 has a key that is not 24 to 128 letters, digits, _ or -, ' +
        'docbuilder-jwt-secret is a PEM document, embed-jwt-secret has fewer than 32 characters, ' +
        'embed-callback-secret is not UTF-8 text.',
    });
  });

  it('is not where the editor could not be logged in to with it, or its container not be started', () => {
    expect(findPodTrouble({ username: 'portal:admin', password: 'a:b' })?.message).to.include(
      'cannot be used: username has a colon.',
    );
    for (const key of ['username', 'password']) {
      for (const value of ['two\nlines', 'nul\0', 'tab\t', '\u009b']) {
        expect(findPodTrouble({ [key]: value })?.message).to.include(`cannot be used: ${key} has control characters.`);
      }
    }
  });

  it('says what to do when it is missing', () => {
    expect(givenTrouble('spec.editor.adminSecretName', 'console', undefined)).to.include({
      reason: 'SecretNotFound',
      message: 'There is no Secret console, which spec.editor.adminSecretName names: create it.',
    });
  });

  it('may have whatever it likes under keys that nobody reads', () => {
    expect(findPodTrouble({ 'tls.key': Buffer.from([0xff, 0xfe]), other: 'x' })).to.equal(undefined);
  });

  it('is told to have a key in vain that looks like one of ours, or to lack half of an account', () => {
    const secrets = (...keys: string[]) => givenRemark('spec.secrets.secretName', 'given', keys);
    expect(secrets('docbuilder-api-keys', 'embed-jwt-secret', 'tls.key', 'other')).to.equal(undefined);
    expect(secrets('docbuilder-api-key', 'embed-jwt-secret')).to.match(
      /^Secret given, which spec\.secrets\.secretName names, has docbuilder-api-key, which is not used\. Known keys are docbuilder-api-keys, /,
    );
    const admin = (...keys: string[]) => givenRemark('spec.editor.adminSecretName', 'console', keys);
    expect([admin('username', 'password', 'embed-x'), admin(), admin('other')]).to.deep.equal(Array(3).fill(undefined));
    expect(admin('username', 'Password')).to.include(
      'Secret console, which spec.editor.adminSecretName names, has no password',
    );
  });
});

describe('the Secret of an instance itself', () => {
  const encoded = (values: Record<string, string | Buffer>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

  it('is not used where somebody has made a value one that a service refuses, but for values that come from elsewhere', () => {
    const data = encoded({
      'embed-jwt-secret': 'hunter2',
      'editor-admin-username': 'a:b',
      'embed-link-secret': Buffer.from([0xff]),
      'digest-key': 'anything',
    });
    expect(keptTrouble('office-secrets', data, Object.keys(data))).to.deep.equal({
      reason: 'SecretUnusable',
      stalled: true,
      message:
        'Secret office-secrets cannot be used: embed-jwt-secret has fewer than 32 characters, ' +
        'editor-admin-username has a colon, embed-link-secret is not UTF-8 text. ' +
        'Correct that, or delete the key to have a value made. Until then all is left as it is.',
    });
    expect(keptTrouble('office-secrets', data, ['digest-key'])).to.equal(undefined);
  });
});
