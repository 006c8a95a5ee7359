import { availableParallelism } from 'node:os';
import { type ApiKeys, parseApiKeys } from '../../src/common/api-keys.ts';
import {
  ConfigError,
  type Environment,
  httpUrlMistakes,
  type ListenAddress,
  parseListen,
  readConfig,
} from '../../src/common/config.ts';
import { secretMistakes } from '../../src/common/crypto/jwt.ts';
import type { DocbuilderConfig } from '../../src/common/generated/wire.ts';
import { type OutboundSettings, readOutbound } from '../../src/common/net/outbound-settings.ts';

const MAX_DEFAULT_WORKERS = 4;

/** DocBuilder's configuration, checked and frozen. */
export interface Config extends OutboundSettings {
  readonly listen: ListenAddress;
  readonly baseUrl: string | undefined;
  readonly dataDir: string;
  readonly apiKeys: ApiKeys;
  readonly jwtSecret: string;
  readonly callbackSecret: string;
  readonly workers: number;
  /** Says how many workers instead, and may do so anew at any time. */
  readonly workersFile: string | undefined;
  readonly workerMaxJobs: number;
  readonly workerMaxAgeMinutes: number;
  readonly workerMemoryMb: number;
  readonly sandbox: DocbuilderConfig['SVC_DOCBUILDER_SANDBOX'];
  readonly officeDir: string | undefined;
  /** Only ever lower the plan. */
  readonly lowering: { maxFileMb: number | undefined; jobTimeoutSeconds: number | undefined };
  readonly licenseFile: string | undefined;
  readonly licenseKeysFile: string | undefined;
  readonly logLevel: DocbuilderConfig['SVC_LOG_LEVEL'];
  readonly auditTarget: string;
  readonly devMode: boolean;
}

/**
 * The configuration from the environment.
 * @throws {ConfigError} with every mistake, each naming its variable
 */
export function loadConfig(environment: Environment): Config {
  const { values: env, mistakes, blame } = readConfig<DocbuilderConfig>('docbuilder-config.json', environment);

  const keys = parseApiKeys(env.SVC_DOCBUILDER_API_KEYS);
  const listen = parseListen(env.SVC_DOCBUILDER_LISTEN);
  blame('SVC_DOCBUILDER_API_KEYS', keys.mistakes);
  blame('SVC_BASE_URL', httpUrlMistakes(env.SVC_BASE_URL));
  blame('SVC_AUDIT_TARGET', httpUrlMistakes(env.SVC_AUDIT_TARGET));
  const outbound = readOutbound(env, blame);
  blame('SVC_DOCBUILDER_JWT_SECRET', secretMistakes(env.SVC_DOCBUILDER_JWT_SECRET));
  blame('SVC_DOCBUILDER_LISTEN', listen.mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);

  return Object.freeze({
    listen: listen.address,
    baseUrl: env.SVC_BASE_URL,
    dataDir: env.SVC_DOCBUILDER_DATA_DIR,
    apiKeys: keys.keys,
    jwtSecret: env.SVC_DOCBUILDER_JWT_SECRET,
    callbackSecret: env.SVC_DOCBUILDER_CALLBACK_SECRET,
    workers: env.SVC_DOCBUILDER_WORKERS ?? Math.min(availableParallelism(), MAX_DEFAULT_WORKERS),
    workersFile: env.SVC_DOCBUILDER_WORKERS_FILE,
    workerMaxJobs: env.SVC_DOCBUILDER_WORKER_MAX_JOBS,
    workerMaxAgeMinutes: env.SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES,
    workerMemoryMb: env.SVC_DOCBUILDER_WORKER_MEMORY_MB,
    sandbox: env.SVC_DOCBUILDER_SANDBOX,
    officeDir: env.SVC_DOCBUILDER_OFFICE_DIR,
    lowering: { maxFileMb: env.SVC_DOCBUILDER_MAX_FILE_MB, jobTimeoutSeconds: env.SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS },
    licenseFile: env.SVC_LICENSE_FILE,
    licenseKeysFile: env.SVC_LICENSE_KEYS_FILE,
    ...outbound,
    logLevel: env.SVC_LOG_LEVEL,
    auditTarget: env.SVC_AUDIT_TARGET,
    devMode: env.SVC_DEV_MODE,
  });
}
