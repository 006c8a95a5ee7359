import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../cmd/gate/config.ts';
import type { Environment } from '../../../src/common/config.ts';
import { configMistakes } from '../../support/config-mistakes.ts';

const SECRET = 'secret-of-more-than-thirty-two-characters';

const mistakes = (environment: Environment) => configMistakes(loadConfig, environment);

describe('configuration of the gate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-gate-config-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

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
    });
    expect(config.embed).to.deep.equal({
      enabled: true,
      jwtSecrets: [],
      allowUnsigned: false,
      allowedOrigins: [],
      foreignHosts: true,
      maxFileMb: 100,
      sessionTtlMinutes: 720,
      retainHours: 24,
      callbackSecret: '',
      linkSecret: '',
    });
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it('reports all mistakes at once, each by its variable', () => {
    const wrong = {
      SVC_GATE_LISTEN: 'localhost',
      SVC_GATE_INTERNAL_LISTEN: '0.0.0.0:70000',
      SVC_BASE_URL: 'portal.example.com',
      SVC_GATE_DATA_DIR: 'data',
      SVC_GATE_WOPI_URL: 'gate:8081',
      SVC_ONLINE_URL: 'ftp://editor',
      SVC_GATE_CONNECTION_CAP: '-1',
      SVC_EMBED_ENABLED: 'perhaps',
      SVC_EMBED_JWT_SECRET: 'too short',
      SVC_EMBED_JWT_SECRET_PREVIOUS: 'short, too',
      SVC_EMBED_ALLOW_UNSIGNED: 'yes',
      SVC_EMBED_ALLOWED_ORIGINS: 'https://portal.example.com/path',
      SVC_EMBED_MAX_FILE_MB: '0',
      SVC_EMBED_SESSION_TTL_MINUTES: 'long',
      SVC_EMBED_RETAIN_HOURS: '1.5',
      SVC_LICENSE_FILE: 'license.jwt',
      SVC_LICENSE_KEYS_FILE: 'keys.json',
      SVC_FETCH_ALLOW_HOSTS: '10.0.0.0/99',
      SVC_FETCH_DENY: 'pods',
      SVC_LOG_LEVEL: 'loud',
      SVC_AUDIT_TARGET: 'printer',
      SVC_DEV_MODE: 'on',
    };
    expect(Object.keys(mistakes(wrong))).to.have.members(Object.keys(wrong));
  });

  it('reports addresses that look like one and are none', () => {
    for (const [variable, ...values] of [
      [
        'SVC_GATE_WOPI_URL',
        'http://user:pw@gate:8081',
        'http://gate.:8081',
        'http://[zz]:1',
        'http://gate:99999',
        'http://máy:1',
      ],
      ['SVC_ONLINE_URL', 'http://[zz]:1', 'http://editor:99999', 'http://user:pw@editor:9980'],
      ['SVC_BASE_URL', 'https://[zz]', 'https://user:pw@office'],
      ['SVC_AUDIT_TARGET', 'http://[x', 'https://log:99999/x'],
    ] as const) {
      for (const value of values) {
        const found = mistakes({ [variable]: value });
        expect(found, value).to.have.keys([variable]);
        expect(found[variable], value).not.to.contain('pw');
      }
    }
    for (const url of [
      'http://gate:8081/',
      'https://gate.svc-1.svc:443/office',
      'http://[::1]:8081',
      'http://10.0.0.7',
    ]) {
      expect(mistakes({ SVC_GATE_WOPI_URL: url, SVC_ONLINE_URL: url, SVC_AUDIT_TARGET: url }), url).to.deep.equal({});
    }
  });

  it('takes a cap of 0: nobody edits', () => {
    expect(loadConfig({ SVC_GATE_CONNECTION_CAP: '0' }).connectionCap).to.equal(0);
  });

  it('never repeats a secret in what it reports', () => {
    const found = JSON.stringify(
      mistakes({ SVC_EMBED_JWT_SECRET: 'hunter2hunter2', SVC_EMBED_JWT_SECRET_PREVIOUS: 'swordfish' }),
    );
    expect(found).to.contain('32 characters').and.not.contain('hunter2').and.not.contain('swordfish');
    const database = JSON.stringify(mistakes({ SVC_DATABASE_URL: 'mysql://svc:hunter2@db.example/svc' }));
    expect(database).to.contain('SVC_DATABASE_URL').and.not.contain('hunter2');
  });

  it('takes every secret from a file, less the end of its line', () => {
    const config = loadConfig({
      SVC_ONLINE_ADMIN_PASSWORD_FILE: file('admin', 'pass word\n'),
      SVC_EMBED_JWT_SECRET_FILE: file('jwt', `${SECRET}\r\n`),
      SVC_EMBED_JWT_SECRET_PREVIOUS_FILE: file('previous', `${SECRET} before`),
      SVC_EMBED_CALLBACK_SECRET_FILE: file('callback', 'callback\n'),
      SVC_EMBED_LINK_SECRET_FILE: file('link', 'link\n'),
      SVC_DATABASE_URL_FILE: file('database', 'postgresql://svc:hunter2@db.example/svc\n'),
    });
    expect(config.databaseUrl).to.equal('postgresql://svc:hunter2@db.example/svc');
    expect(config.editor.adminPassword).to.equal('pass word');
    expect(config.embed).to.deep.include({
      jwtSecrets: [SECRET, `${SECRET} before`],
      callbackSecret: 'callback',
      linkSecret: 'link',
    });
  });

  it('says when the file of a secret is not there, holds a bad one, or it is given twice', () => {
    const missing = join(folder, 'missing');
    expect(mistakes({ SVC_EMBED_CALLBACK_SECRET_FILE: missing })).to.have.key('SVC_EMBED_CALLBACK_SECRET_FILE');
    const short = file('short', 'short\n');
    expect(mistakes({ SVC_EMBED_JWT_SECRET_FILE: short })).to.have.key('SVC_EMBED_JWT_SECRET');
    const twice = { SVC_EMBED_LINK_SECRET: SECRET, SVC_EMBED_LINK_SECRET_FILE: file('twice', SECRET) };
    expect(mistakes(twice)).to.have.key('SVC_EMBED_LINK_SECRET');
  });

  it('refuses a public key as secret, and a previous secret without a current one', () => {
    const pem = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7\n-----END PUBLIC KEY-----';
    expect(mistakes({ SVC_EMBED_JWT_SECRET: pem })['SVC_EMBED_JWT_SECRET']).to.contain('PEM');
    expect(mistakes({ SVC_EMBED_JWT_SECRET_PREVIOUS: SECRET })).to.have.key('SVC_EMBED_JWT_SECRET_PREVIOUS');
  });

  describe('origins', () => {
    const origins = (text: string) => loadConfig({ SVC_EMBED_ALLOWED_ORIGINS: text }).embed.allowedOrigins;

    it('are a list, or *', () => {
      expect(origins(' https://a.example.com , http://localhost:3000,')).to.deep.equal([
        'https://a.example.com',
        'http://localhost:3000',
      ]);
      expect(origins('*')).to.deep.equal(['*']);
      expect(origins('')).to.deep.equal([]);
    });

    for (const origin of [
      'portal.example.com',
      'https://portal.example.com/',
      'https://Portal.example.com',
      'https://portal.example.com:443',
      'https://*.example.com',
      'https://user@portal.example.com',
      'ftp://portal.example.com',
      'null',
    ]) {
      it(`that no browser sends, such as ${origin}, are mistakes`, () => {
        const found = mistakes({ SVC_EMBED_ALLOWED_ORIGINS: `https://ok.example.com,${origin}` });
        expect(found['SVC_EMBED_ALLOWED_ORIGINS'] ?? '')
          .to.contain(origin)
          .and.not.contain('ok.example.com');
      });
    }
  });

  it('listens on IPv6 addresses too', () => {
    const config = loadConfig({ SVC_GATE_LISTEN: '[::1]:9000', SVC_GATE_INTERNAL_LISTEN: '[::]:9001' });
    expect(config.listen).to.deep.equal({ host: '::1', port: 9000 });
    expect(config.internalListen).to.deep.equal({ host: '::', port: 9001 });
  });

  it('takes addresses with or without a slash at the end', () => {
    const config = loadConfig({ SVC_GATE_WOPI_URL: 'http://gate:1/', SVC_ONLINE_URL: 'http://editor:2//' });
    expect([config.wopiUrl, config.editor.url]).to.deep.equal(['http://gate:1', 'http://editor:2']);
  });

  describe('of the object store', () => {
    it('is none by default; a bucket alone is one at AWS, whose client finds credentials by itself', () => {
      expect(loadConfig({}).s3).to.equal(undefined);
      expect(loadConfig({ SVC_S3_BUCKET: 'office' }).s3).to.deep.equal({
        bucket: 'office',
        endpoint: undefined,
        region: 'us-east-1',
        prefix: '',
        credentials: undefined,
      });
    });

    it('takes its credentials from files', () => {
      const { s3 } = loadConfig({
        SVC_S3_BUCKET: 'office',
        SVC_S3_ENDPOINT: 'https://s3.example:9000',
        SVC_S3_REGION: 'hanoi-1',
        SVC_S3_PREFIX: 'one/two/',
        SVC_S3_ACCESS_KEY_ID_FILE: file('access', 'AKIA\n'),
        SVC_S3_SECRET_ACCESS_KEY_FILE: file('secret', 'of the key\n'),
      });
      expect(s3).to.deep.include({
        ...{ endpoint: 'https://s3.example:9000', region: 'hanoi-1', prefix: 'one/two/' },
        credentials: { accessKeyId: 'AKIA', secretAccessKey: 'of the key' },
      });
    });

    it('is refused when half of it is missing, or it can be no bucket', () => {
      expect(mistakes({ SVC_S3_ENDPOINT: 'https://s3.example' })).to.have.keys('SVC_S3_BUCKET');
      expect(mistakes({ SVC_S3_BUCKET: 'office', SVC_S3_ACCESS_KEY_ID: 'AKIA' })).to.have.keys(
        'SVC_S3_SECRET_ACCESS_KEY',
      );
      expect(mistakes({ SVC_S3_BUCKET: 'office', SVC_S3_SECRET_ACCESS_KEY: 'x' })).to.have.keys('SVC_S3_ACCESS_KEY_ID');
      const wrong = {
        SVC_S3_BUCKET: 'a/b',
        SVC_S3_ENDPOINT: 'http://user:password@s3.example',
        SVC_S3_REGION: 'a b',
        SVC_S3_PREFIX: '../',
      };
      expect(mistakes(wrong)).to.have.keys(Object.keys(wrong));
    });
  });
});
