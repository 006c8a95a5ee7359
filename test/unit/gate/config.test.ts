import { expect } from 'chai';
import { loadConfig } from '../../../cmd/gate/config.ts';
import type { Environment } from '../../../src/common/config.ts';
import { configMistakes } from '../../support/config-mistakes.ts';

const SECRET = 'secret-of-more-than-thirty-two-characters';
const PEM = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7\n-----END PUBLIC KEY-----';

const mistakes = (environment: Environment) => configMistakes(loadConfig, environment);

/** Values that are wrong, of which each is blamed on its variable alone. */
const WRONG: Record<string, readonly string[]> = {
  SVC_GATE_LISTEN: ['localhost'],
  SVC_GATE_INTERNAL_LISTEN: ['0.0.0.0:70000'],
  SVC_GATE_DATA_DIR: ['data'],
  SVC_GATE_WOPI_URL: [
    ...['gate:8081', 'http://user:pw@gate:8081', 'http://gate.:8081', 'http://[zz]:1', 'http://gate:99999'],
    'http://máy:1',
  ],
  SVC_ONLINE_URL: ['ftp://editor', 'http://[zz]:1', 'http://editor:99999', 'http://user:pw@editor:9980'],
  SVC_BASE_URL: ['portal.example.com', 'https://[zz]', 'https://user:pw@office'],
  SVC_AUDIT_TARGET: ['printer', 'http://[x', 'https://log:99999/x'],
  SVC_GATE_CONNECTION_CAP: ['-1'],
  SVC_EMBED_ENABLED: ['perhaps'],
  SVC_EMBED_ALLOW_UNSIGNED: ['yes'],
  SVC_EMBED_JWT_SECRET: ['too short', PEM],
  SVC_EMBED_JWT_SECRET_PREVIOUS: ['short, too', SECRET],
  SVC_EMBED_MAX_FILE_MB: ['0'],
  SVC_EMBED_SESSION_TTL_MINUTES: ['long'],
  SVC_EMBED_RETAIN_HOURS: ['1.5'],
  SVC_LICENSE_FILE: ['license.jwt'],
  SVC_LICENSE_KEYS_FILE: ['keys.json'],
  SVC_FETCH_ALLOW_HOSTS: ['10.0.0.0/99'],
  SVC_FETCH_DENY: ['pods'],
  SVC_LOG_LEVEL: ['loud'],
  SVC_DEV_MODE: ['on'],
  SVC_DATABASE_URL: ['mysql://svc:pw@db.example/svc'],
  SVC_EMBED_ALLOWED_ORIGINS: [
    ...['portal.example.com', 'https://portal.example.com/', 'https://Portal.example.com', 'null'],
    ...['https://portal.example.com:443', 'https://*.example.com', 'https://user@portal.example.com'],
    ...['ftp://portal.example.com', 'https://portal.example.com/path'],
  ],
  SVC_S3_ENDPOINT: ['http://user:pw@s3.example'],
  SVC_S3_REGION: ['a b'],
  SVC_S3_PREFIX: ['../'],
};

describe('configuration of the gate', () => {
  it('has defaults that let nobody embed who did not sign, and the contract’s figures', () => {
    const config = loadConfig({});
    expect(config).to.deep.include({
      listen: { host: '0.0.0.0', port: 8080 },
      internalListen: { host: '0.0.0.0', port: 8081 },
      baseUrl: undefined,
      wopiUrl: 'http://gate:8081',
      editor: { url: 'http://editor:9980', adminUser: 'admin', adminPassword: '' },
      connectionCap: undefined,
      licenseFile: undefined,
      auditTarget: 'stdout',
      devMode: false,
      s3: undefined,
    });
    expect(config.embed).to.deep.equal({
      ...{ enabled: true, jwtSecrets: [], allowUnsigned: false, allowedOrigins: [], foreignHosts: true },
      ...{ maxFileMb: 100, sessionTtlMinutes: 720, retainHours: 24, callbackSecret: '', linkSecret: '' },
    });
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it('reports all mistakes at once, each by its variable', () => {
    const first = Object.fromEntries(Object.entries(WRONG).map(([variable, [value]]) => [variable, value]));
    const s3 = ['SVC_S3_BUCKET'];
    expect(Object.keys(mistakes(first))).to.include.members(Object.keys(WRONG));
    expect(Object.keys(WRONG).concat(s3)).to.include.members(Object.keys(mistakes(first)));
  });

  for (const [variable, values] of Object.entries(WRONG))
    it(`reports a wrong ${variable} alone, and no password in it`, () => {
      for (const value of values) {
        const bucket = variable.startsWith('SVC_S3_') && { SVC_S3_BUCKET: 'office' };
        const found = mistakes({ ...bucket, [variable]: value });
        expect(found, value).to.have.all.keys(variable);
        expect(found[variable], value).not.to.contain('pw');
      }
    });

  it('names the origin that is wrong, and says what a secret needs without repeating it', () => {
    const origins = mistakes({ SVC_EMBED_ALLOWED_ORIGINS: 'https://ok.example.com,https://no.example.com/' });
    expect(origins['SVC_EMBED_ALLOWED_ORIGINS'])
      .to.contain('https://no.example.com/')
      .and.not.contain('ok.example.com');
    const secrets = { SVC_EMBED_JWT_SECRET: 'hunter2hunter2', SVC_EMBED_JWT_SECRET_PREVIOUS: 'swordfish' };
    const found = JSON.stringify(mistakes(secrets));
    expect(found).to.contain('32 characters').and.not.contain('hunter2').and.not.contain('swordfish');
    expect(mistakes({ SVC_EMBED_JWT_SECRET: PEM })['SVC_EMBED_JWT_SECRET']).to.contain('PEM');
  });

  it('takes what is unusual and right', () => {
    const url = ['http://gate:8081/', 'https://gate.svc-1.svc:443/office', 'http://[::1]:8081', 'http://10.0.0.7'];
    for (const one of url)
      expect(mistakes({ SVC_GATE_WOPI_URL: one, SVC_ONLINE_URL: one, SVC_AUDIT_TARGET: one }), one).to.deep.equal({});
    const config = loadConfig({
      SVC_GATE_CONNECTION_CAP: '0',
      SVC_GATE_LISTEN: '[::1]:9000',
      SVC_GATE_INTERNAL_LISTEN: '[::]:9001',
      SVC_GATE_WOPI_URL: 'http://gate:1/',
      SVC_ONLINE_URL: 'http://editor:2//',
      SVC_EMBED_ALLOWED_ORIGINS: ' https://a.example.com , http://localhost:3000,',
      SVC_S3_BUCKET: 'office',
    });
    expect(config).to.deep.include({
      connectionCap: 0,
      listen: { host: '::1', port: 9000 },
      internalListen: { host: '::', port: 9001 },
      wopiUrl: 'http://gate:1',
      // A bucket alone is one at AWS, whose client finds credentials by itself.
      s3: { bucket: 'office', endpoint: undefined, region: 'us-east-1', prefix: '', credentials: undefined },
    });
    expect(config.editor.url).to.equal('http://editor:2');
    expect(config.embed.allowedOrigins).to.deep.equal(['https://a.example.com', 'http://localhost:3000']);
    for (const [text, list] of [
      ['*', ['*']],
      ['', []],
    ] as const)
      expect(loadConfig({ SVC_EMBED_ALLOWED_ORIGINS: text }).embed.allowedOrigins).to.deep.equal(list);
  });

  it('refuses half of an object store', () => {
    for (const [half, missing] of [
      [{ SVC_S3_ENDPOINT: 'https://s3.example' }, 'SVC_S3_BUCKET'],
      [{ SVC_S3_BUCKET: 'office', SVC_S3_ACCESS_KEY_ID: 'AKIA' }, 'SVC_S3_SECRET_ACCESS_KEY'],
      [{ SVC_S3_BUCKET: 'office', SVC_S3_SECRET_ACCESS_KEY: 'x' }, 'SVC_S3_ACCESS_KEY_ID'],
      [{ SVC_S3_BUCKET: 'a/b' }, 'SVC_S3_BUCKET'],
    ] as const)
      expect(mistakes(half)).to.have.all.keys(missing);
  });
});
