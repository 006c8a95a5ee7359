import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Config, loadConfig } from '../../../cmd/docbuilder/config.ts';
import type { Environment } from '../../../src/common/config.ts';
import { configMistakes } from '../../support/config-mistakes.ts';

const KEY = 'svc_0123456789abcdef01234567';

const mistakes = (environment: Environment) => configMistakes(loadConfig, environment);

describe('configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
  after(() => rmSync(folder, { recursive: true }));

  it('has the contract’s defaults', () => {
    const config: Config = loadConfig({});
    expect(config).to.deep.include({
      listen: { host: '0.0.0.0', port: 8080 },
      workerMaxJobs: 200,
      workerMaxAgeMinutes: 60,
      sandbox: 'auto',
    });
    expect(config.workers).to.be.within(1, 4);
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it('has as many workers as there are cores, and at most 4', () => {
    const { availableParallelism } = os;
    const workersOf = (cores: number): number => {
      os.availableParallelism = () => cores;
      syncBuiltinESMExports();
      return loadConfig({}).workers;
    };
    try {
      expect([1, 3, 4, 5, 64].map(workersOf)).to.deep.equal([1, 3, 4, 4, 4]);
    } finally {
      os.availableParallelism = availableParallelism;
      syncBuiltinESMExports();
    }
    expect(['1', '32'].map((told) => loadConfig({ SVC_DOCBUILDER_WORKERS: told }).workers)).to.deep.equal([1, 32]);
    for (const told of ['0', '33', '1.5']) expect(mistakes({ SVC_DOCBUILDER_WORKERS: told })).to.not.deep.equal({});
  });

  it('reports all mistakes at once, each by its variable', () => {
    const found = mistakes({
      SVC_DOCBUILDER_WORKERS: '33',
      SVC_DOCBUILDER_WORKER_MAX_JOBS: 'many',
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
    });
    expect(Object.keys(found)).to.have.members([
      'SVC_DOCBUILDER_WORKERS',
      'SVC_DOCBUILDER_WORKER_MAX_JOBS',
      'SVC_DOCBUILDER_API_KEYS',
      'SVC_DOCBUILDER_JWT_SECRET',
      'SVC_DOCBUILDER_LISTEN',
      'SVC_DOCBUILDER_SANDBOX',
      'SVC_FETCH_ALLOW_HOSTS',
      'SVC_FETCH_DENY',
      'SVC_LOG_LEVEL',
      'SVC_DEV_MODE',
      'SVC_BASE_URL',
      'SVC_AUDIT_TARGET',
    ]);
    expect(found['SVC_DOCBUILDER_SANDBOX']).to.match(/^must be one of .*namespaces/);
  });

  it('never repeats a secret in what it reports', () => {
    const found = JSON.stringify(
      mistakes({ SVC_DOCBUILDER_API_KEYS: 'name:bad!key', SVC_DOCBUILDER_JWT_SECRET: 'hunter2hunter2' }),
    );
    expect(found).to.not.contain('bad!key').and.not.contain('hunter2');
  });

  it('takes a secret from a file, and says when it is not there or given twice', () => {
    const path = join(folder, 'keys');
    writeFileSync(path, `portal:${KEY}\n`);
    loadConfig({ SVC_DOCBUILDER_API_KEYS_FILE: path });
    expect(mistakes({ SVC_DOCBUILDER_API_KEYS_FILE: join(folder, 'missing') })).to.have.key(
      'SVC_DOCBUILDER_API_KEYS_FILE',
    );
    expect(mistakes({ SVC_DOCBUILDER_API_KEYS: KEY, SVC_DOCBUILDER_API_KEYS_FILE: path })).to.have.key(
      'SVC_DOCBUILDER_API_KEYS',
    );
  });

  it('reads booleans as 1 and 0, and an empty variable as absent', () => {
    expect(loadConfig({ SVC_DEV_MODE: '1' }).devMode).to.equal(true);
    expect(loadConfig({ SVC_DEV_MODE: '0', SVC_DOCBUILDER_WORKERS: '' }).devMode).to.equal(false);
  });

  it('listens on IPv6 addresses too', () => {
    expect(loadConfig({ SVC_DOCBUILDER_LISTEN: '[::1]:9000' }).listen).to.deep.equal({ host: '::1', port: 9000 });
  });

  it('has a database and a bucket that are shared, or neither', () => {
    const database = { SVC_DATABASE_URL: 'postgresql://svc:very-secret@db/svc' };
    const bucket = { SVC_S3_BUCKET: 'office', SVC_S3_ENDPOINT: 'http://s3:9000' };
    expect(loadConfig({}).shared).to.equal(undefined);
    expect(loadConfig({ ...database, ...bucket, SVC_POD_IP: 'fd00::1' }).shared).to.deep.include({
      databaseUrl: database.SVC_DATABASE_URL,
      podIp: 'fd00::1',
    });
    expect(mistakes(database)).to.have.key('SVC_S3_BUCKET');
    expect(mistakes(bucket)).to.have.key('SVC_DATABASE_URL');
    expect(mistakes({ ...database, ...bucket, SVC_POD_IP: 'pod-1' })).to.have.key('SVC_POD_IP');
    expect(JSON.stringify(mistakes(database))).to.not.contain('very-secret');
  });
});
