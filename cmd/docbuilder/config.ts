import { availableParallelism } from 'node:os';
import { parseApiKeys } from '../../src/common/api-keys.ts';
import { ConfigError, type Environment, httpUrlMistakes, parseListen, readConfig } from '../../src/common/config.ts';
import { secretMistakes } from '../../src/common/crypto/jwt.ts';
import type { DocbuilderConfig } from '../../src/common/generated/wire.ts';
import { readOutbound } from '../../src/common/net/outbound-settings.ts';
import { readS3 } from '../../src/common/s3/config.ts';

const MAX_DEFAULT_WORKERS = 4;

/** DocBuilder's configuration, checked and frozen. */
export type Config = ReturnType<typeof loadConfig>;

/**
 * Reads the configuration from the environment.
 * @throws {ConfigError} with every mistake, each naming its variable
 */
export function loadConfig(environment: Environment) {
  const { values: env, mistakes, blame } = readConfig<DocbuilderConfig>('docbuilder-config.json', environment);

  const keys = parseApiKeys(env.SVC_DOCBUILDER_API_KEYS);
  const listen = parseListen(env.SVC_DOCBUILDER_LISTEN);
  blame('SVC_DOCBUILDER_API_KEYS', keys.mistakes);
  blame('SVC_BASE_URL', httpUrlMistakes(env.SVC_BASE_URL));
  blame('SVC_AUDIT_TARGET', httpUrlMistakes(env.SVC_AUDIT_TARGET));
  const s3 = readS3(env, blame);
  if (env.SVC_DATABASE_URL && !s3)
    blame('SVC_S3_BUCKET', ['is missing: with SVC_DATABASE_URL results are in a bucket']);
  if (s3 && !env.SVC_DATABASE_URL) blame('SVC_DATABASE_URL', ['is missing: with SVC_S3_BUCKET jobs are in a database']);
  const outbound = readOutbound(env, blame);
  blame('SVC_DOCBUILDER_JWT_SECRET', secretMistakes(env.SVC_DOCBUILDER_JWT_SECRET));
  blame('SVC_DOCBUILDER_LISTEN', listen.mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);

  return Object.freeze({
    listen: listen.address,
    baseUrl: env.SVC_BASE_URL,
    dataDir: env.SVC_DOCBUILDER_DATA_DIR,
    /** The store of several replicas; undefined: one replica, with its data folder. */
    shared: s3 && { databaseUrl: env.SVC_DATABASE_URL, s3, podIp: env.SVC_POD_IP },
    apiKeys: keys.keys,
    jwtSecret: env.SVC_DOCBUILDER_JWT_SECRET,
    callbackSecret: env.SVC_DOCBUILDER_CALLBACK_SECRET,
    workers: env.SVC_DOCBUILDER_WORKERS ?? Math.min(availableParallelism(), MAX_DEFAULT_WORKERS),
    /** File with the number of workers; may change at any time. */
    workersFile: env.SVC_DOCBUILDER_WORKERS_FILE,
    workerMaxJobs: env.SVC_DOCBUILDER_WORKER_MAX_JOBS,
    workerMaxAgeMinutes: env.SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES,
    workerMemoryMb: env.SVC_DOCBUILDER_WORKER_MEMORY_MB,
    sandbox: env.SVC_DOCBUILDER_SANDBOX,
    officeDir: env.SVC_DOCBUILDER_OFFICE_DIR,
    /** Lower the plan's limits. */
    lowering: { maxFileMb: env.SVC_DOCBUILDER_MAX_FILE_MB, jobTimeoutSeconds: env.SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS },
    licenseFile: env.SVC_LICENSE_FILE,
    licenseKeysFile: env.SVC_LICENSE_KEYS_FILE,
    ...outbound,
    logLevel: env.SVC_LOG_LEVEL,
    auditTarget: env.SVC_AUDIT_TARGET,
    devMode: env.SVC_DEV_MODE,
  });
}
