import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { expect } from 'chai';
import { loadConfig } from '../../../cmd/docbuilder/config.ts';
import { loadConfig as loadGate } from '../../../cmd/gate/config.ts';
import type { Environment } from '../../../src/common/config.ts';
import { configMistakes } from '../../support/config-mistakes.ts';
import { useFolder } from '../../support/folder.ts';

const KEY = 'svc_0123456789abcdef01234567';
const DATABASE = { SVC_DATABASE_URL: 'postgresql://svc:very-secret@db/svc' };
const BUCKET = { SVC_S3_BUCKET: 'office', SVC_S3_ENDPOINT: 'http://s3:9000' };

const mistakes = (environment: Environment) => configMistakes(loadConfig, environment);

describe('configuration', () => {
  const folder = useFolder();

  it('has the contract’s defaults, reads booleans as 1 and 0, and addresses of IPv6', () => {
    expect(loadConfig({})).to.deep.include({
      listen: { host: '0.0.0.0', port: 8080 },
      ...{ workerMaxJobs: 200, workerMaxAgeMinutes: 60, sandbox: 'auto', shared: undefined },
    });
    expect(['1', '0'].map((value) => loadConfig({ SVC_DEV_MODE: value }).devMode)).to.deep.equal([true, false]);
    expect(loadConfig({ SVC_DOCBUILDER_LISTEN: '[::1]:9000' }).listen).to.deep.equal({ host: '::1', port: 9000 });
  });

  it('has as many workers as there are cores, and at most 4', () => {
    const { availableParallelism } = os;
    const countWorkers = (cores: number): number => {
      os.availableParallelism = () => cores;
      syncBuiltinESMExports();
      return loadConfig({}).workers;
    };
    try {
      expect([1, 3, 4, 5, 64].map(countWorkers)).to.deep.equal([1, 3, 4, 4, 4]);
    } finally {
      os.availableParallelism = availableParallelism;
      syncBuiltinESMExports();
    }
  });

  for (const [load, variable, least, most] of [
    [loadConfig, 'SVC_DOCBUILDER_WORKERS', 1, 32],
    [loadConfig, 'SVC_DOCBUILDER_WORKER_MAX_JOBS', 1, 100_000],
    [loadConfig, 'SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES', 1, 10_080],
    [loadConfig, 'SVC_DOCBUILDER_MAX_FILE_MB', 1, 100_000],
    [loadConfig, 'SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS', 1, 100_000],
    [loadGate, 'SVC_GATE_CONNECTION_CAP', 0, 1_000_000],
    [loadGate, 'SVC_EMBED_MAX_FILE_MB', 1, 2048],
    [loadGate, 'SVC_EMBED_SESSION_TTL_MINUTES', 1, 43_200],
    [loadGate, 'SVC_EMBED_RETAIN_HOURS', 1, 8760],
  ] as const) {
    it(`${variable}: whole numbers from ${least} to ${most}, or nothing`, () => {
      const found = (value: unknown) => Object.keys(configMistakes(load, { [variable]: String(value) }));
      for (const good of [least, most, '']) expect(found(good)).to.deep.equal([]);
      for (const bad of [least - 1, most + 1, least + 0.5, `${least}x`]) expect(found(bad)).to.deep.equal([variable]);
    });
  }

  it('reports all mistakes at once, each by its variable', () => {
    const wrong = {
      SVC_DOCBUILDER_WORKERS: '33',
      SVC_DOCBUILDER_API_KEYS: 'short',
      SVC_DOCBUILDER_JWT_SECRET: 'too short',
      SVC_DOCBUILDER_LISTEN: 'localhost',
      SVC_DOCBUILDER_SANDBOX: 'maybe',
      SVC_FETCH_ALLOW_HOSTS: '10.0.0.0/99',
      SVC_FETCH_DENY: 'pods',
      SVC_LOG_LEVEL: 'loud',
      SVC_DEV_MODE: 'perhaps',
      SVC_BASE_URL: 'https://office:99999',
      SVC_AUDIT_TARGET: 'http://[x',
    };
    const found = mistakes(wrong);
    expect(found).to.have.all.keys(wrong);
    expect(found['SVC_DOCBUILDER_SANDBOX']).to.match(/^must be one of .*namespaces/);
  });

  it('never repeats a secret in what it reports', () => {
    const secrets = { SVC_DOCBUILDER_API_KEYS: 'name:bad!key', SVC_DOCBUILDER_JWT_SECRET: 'hunter2hunter2' };
    const found = JSON.stringify(mistakes({ ...secrets, ...DATABASE }));
    expect(found).to.not.match(/bad!key|hunter2|very-secret/);
  });

  it('takes a secret from a file, and says when it is not there or given twice', () => {
    const path = folder.at('keys');
    writeFileSync(path, `portal:${KEY}\n`);
    loadConfig({ SVC_DOCBUILDER_API_KEYS_FILE: path });
    const missing = mistakes({ SVC_DOCBUILDER_API_KEYS_FILE: folder.at('missing') });
    expect(missing).to.have.key('SVC_DOCBUILDER_API_KEYS_FILE');
    const twice = mistakes({ SVC_DOCBUILDER_API_KEYS: KEY, SVC_DOCBUILDER_API_KEYS_FILE: path });
    expect(twice).to.have.key('SVC_DOCBUILDER_API_KEYS');
  });

  it('has a database and a bucket that are shared, or neither', () => {
    const both = { ...DATABASE, ...BUCKET };
    const shared = { databaseUrl: DATABASE.SVC_DATABASE_URL, podIp: 'fd00::1' };
    expect(loadConfig({ ...both, SVC_POD_IP: 'fd00::1' }).shared).to.deep.include(shared);
    expect(mistakes(DATABASE)).to.have.key('SVC_S3_BUCKET');
    expect(mistakes(BUCKET)).to.have.key('SVC_DATABASE_URL');
    expect(mistakes({ ...both, SVC_POD_IP: 'pod-1' })).to.have.key('SVC_POD_IP');
  });
});
