import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { environment } from '../../../../cmd/controller/desired/env.ts';
import { loadConfig as loadDocbuilder } from '../../../../cmd/docbuilder/config.ts';
import { loadConfig as loadGate } from '../../../../cmd/gate/config.ts';
import type { Environment } from '../../../../src/common/config.ts';
import { schemas } from '../../../../src/common/schema.ts';
import { INSTANCES } from './instances.ts';
import { container, decoded, objectsOf } from './objects.ts';
import type { Options } from './situation.ts';

/** What services with a shared store have besides: the same for both. */
const STORE = /^SVC_(DATABASE_URL|S3_[A-Z_]+)(_FILE)?$/;

describe('environment of the services', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-desired-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What a container's process finds: variables as the kubelet expands them, and the files of its Secret. */
  function environmentOf(component: 'gate' | 'docbuilder', options?: Options): Environment {
    const objects = objectsOf(options);
    const { env = [], volumeMounts = [] } = container(objects, component);
    const secrets = decoded(objects, 'office-secrets');
    for (const [key, value] of Object.entries(secrets)) writeFileSync(join(folder, key), value);
    const mounted = volumeMounts.find(({ name }) => name === 'secrets')?.mountPath ?? '';
    return Object.fromEntries(
      env.map(({ name, value, valueFrom }) => {
        const text = value ?? secrets[valueFrom?.secretKeyRef?.key ?? ''] ?? '';
        return [name, text.replaceAll('$$', '$').replace(`${mounted}/`, `${folder}/`)];
      }),
    );
  }

  for (const [name, options] of Object.entries(INSTANCES)) {
    it(`${name}: gate and DocBuilder take it without a mistake`, () => {
      loadGate(environmentOf('gate', options));
      loadDocbuilder(environmentOf('docbuilder', options));
    });

    for (const component of ['gate', 'docbuilder'] as const) {
      it(`${name}: ${component} is told nothing that its schema does not declare`, () => {
        const declared = Object.keys(schemas.get(`${component}-config.json`)?.properties ?? {});
        const ours = Object.keys(environmentOf(component, options)).filter((variable) => variable.startsWith('SVC_'));
        const told = ours.map((variable) => variable.replace(/_FILE$/, ''));
        const files = declared.map((variable) => variable.replace(/_FILE$/, ''));
        expect(told.filter((variable) => !files.includes(variable))).to.deep.equal([]);
      });
    }
  }

  it('has everything of the spec that is for the gate', () => {
    const config = loadGate(environmentOf('gate', INSTANCES['everything-set']));
    expect({
      ...config,
      allow: undefined,
      deny: config.deny.map((network) => network.join('/')),
      proxy: config.proxy?.href,
    }).to.deep.equal({
      proxy: 'http://proxy.example:3128/',
      s3: undefined,
      listen: { host: '0.0.0.0', port: 8080 },
      internalListen: { host: '0.0.0.0', port: 8081 },
      baseUrl: 'https://office.example:8443',
      databaseUrl: '',
      dataDir: '/var/lib/svc/gate',
      wopiUrl: 'http://office-gate-internal:8081',
      editor: { url: 'http://office-editor:9980', adminUser: 'root', adminPassword: 'p$(HOME)w' },
      connectionCap: 80,
      embed: {
        enabled: true,
        jwtSecrets: ['a secret of the portal, long enough', 'a secret of the portal, before that'],
        allowUnsigned: true,
        allowedOrigins: ['https://office.example:8443', 'https://portal.example', 'https://intranet.example:8443'],
        foreignHosts: false,
        maxFileMb: 50,
        sessionTtlMinutes: 60,
        retainHours: 48,
        callbackSecret: 'for callbacks',
        linkSecret: 'for links',
      },
      licenseFile: '/run/svc/license/token',
      licenseKeysFile: '/run/svc/license-keys/keys.json',
      allow: undefined,
      deny: ['203.0.113.0/24', '2001:db8::/32'],
      logLevel: 'debug',
      auditTarget: 'https://audit.example/events',
      devMode: true,
    });
    expect(config.allow.names).to.deep.equal([{ target: 'portal.internal', port: 8443 }]);
    // The first is the gate itself, for its demo.
    expect(config.allow.networks.map(({ target, port }) => `${target.join('/')}:${port}`)).to.deep.equal([
      '127.0.0.1/32:8080',
      '10.20.0.0/16:undefined',
    ]);
  });

  it('has the database and the bucket, by files', () => {
    const config = loadGate(environmentOf('gate', INSTANCES['shared']));
    expect(config).to.deep.include({
      databaseUrl: 'postgresql://svc:of%20the%20database@office-db-rw:5432/svc',
      s3: {
        bucket: 'documents',
        endpoint: 'http://s3.storage:3900',
        region: 'garage',
        prefix: 'office/',
        credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'of the bucket' },
      },
    });
    const { shared } = loadDocbuilder(environmentOf('docbuilder', INSTANCES['shared']));
    expect([shared?.databaseUrl, shared?.s3]).to.deep.equal([config.databaseUrl, config.s3]);
    const store = ([name]: [string, string | undefined]) => STORE.test(name) || name === 'PGSSLMODE';
    const [gate, docbuilder] = (['gate', 'docbuilder'] as const).map((component) =>
      Object.entries(environmentOf(component, INSTANCES['shared'])).filter(store),
    );
    expect(docbuilder).to.deep.equal(gate);
    expect(gate).to.deep.include(['PGSSLMODE', 'verify-full']);
  });

  it('has everything of the spec that is for DocBuilder', () => {
    const config = loadDocbuilder(environmentOf('docbuilder', INSTANCES['everything-set']));
    expect({ ...config, allow: config.allow.names, deny: config.deny.length, proxy: config.proxy?.href }).to.deep.equal(
      {
        proxy: 'http://proxy.example:3128/',
        listen: { host: '0.0.0.0', port: 8080 },
        baseUrl: 'https://office.example:8443',
        dataDir: '/var/lib/svc/docbuilder',
        apiKeys: [{ name: 'ci', key: '0123456789abcdef01234567' }],
        jwtSecret: 'a secret of DocBuilder, long enough',
        callbackSecret: 'for callbacks',
        workers: Math.min(availableParallelism(), 4),
        workersFile: '/run/svc/workers/workers',
        workerMaxJobs: 100,
        workerMaxAgeMinutes: 30,
        workerMemoryMb: 1024,
        shared: undefined,
        sandbox: 'landlock',
        officeDir: undefined,
        lowering: { maxFileMb: 20, jobTimeoutSeconds: 90 },
        licenseFile: '/run/svc/license/token',
        licenseKeysFile: '/run/svc/license-keys/keys.json',
        allow: [{ target: 'portal.internal', port: 8443 }],
        deny: 2,
        logLevel: 'debug',
        auditTarget: 'https://audit.example/events',
        devMode: true,
      },
    );
  });

  it('lets pages of the service itself embed, and those of all others only with a star', () => {
    const origins = (allowedOrigins: string[]) =>
      loadGate(environmentOf('gate', { spec: { embed: { allowedOrigins } } })).embed.allowedOrigins;
    expect(origins([])).to.deep.equal(['https://office.example']);
    expect(origins(['https://office.example'])).to.deep.equal(['https://office.example']);
    expect(origins(['*'])).to.deep.equal(['*']);
  });

  it('opens the gate to itself in development only', () => {
    expect(loadGate(environmentOf('gate')).allow.networks).to.deep.equal([]);
  });

  it('takes unsigned configurations where the spec says so, and no secret of ours stands against it', () => {
    const spec = { devMode: true, embed: { allowUnsigned: true } };
    const { embed } = loadGate(environmentOf('gate', { spec, given: { allowUnsigned: true } }));
    expect(embed).to.deep.include({ allowUnsigned: true, jwtSecrets: [] });
    // A former secret alone is of no use, and the gate would not start with it.
    const given = { allowUnsigned: true, values: { 'embed-jwt-secret-previous': 'p'.repeat(32) } };
    expect(loadGate(environmentOf('gate', { spec, given })).embed.jwtSecrets).to.deep.equal([]);
  });

  it('keeps a dollar, leaves out what is undefined or empty, writes booleans as 1 and 0', () => {
    expect(environment({ A: 'x$(B)$', B: true, C: false, D: '', E: undefined, F: 0 })).to.deep.equal([
      { name: 'A', value: 'x$$(B)$$' },
      { name: 'B', value: '1' },
      { name: 'C', value: '0' },
      { name: 'F', value: '0' },
    ]);
  });

  for (const [spec, url] of [
    [{}, 'https://office.example'],
    [{ port: 443 }, 'https://office.example'],
    [{ port: 80 }, 'https://office.example:80'],
    [{ tls: { mode: 'Disabled' } }, 'http://office.example'],
    [{ tls: { mode: 'Disabled' }, port: 80 }, 'http://office.example'],
    [{ tls: { mode: 'Disabled' }, port: 8080 }, 'http://office.example:8080'],
  ] as const) {
    it(`says ${url} for ${JSON.stringify(spec)}`, () => {
      expect(loadGate(environmentOf('gate', { spec })).baseUrl).to.equal(url);
      expect(loadDocbuilder(environmentOf('docbuilder', { spec })).baseUrl).to.equal(url);
    });
  }
});
