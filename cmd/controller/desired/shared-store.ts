import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import type { Variables } from './env.ts';
import { secretFile } from './secrets.ts';
import type { ComponentName, Situation } from './types.ts';

const SSL_MODES = { Disable: 'disable', VerifyFull: 'verify-full' } as const;
const DATABASE_PORT = 5432;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const POD_IDENTITY = ['169.254.170.23/32', 'fd00:ec2::23/128'];

/** Returns whether rows are in a database and bytes in a bucket: gate and DocBuilder then have no volumes. */
export function isShared({ storage }: SvcInstanceSpec): boolean {
  return storage.postgres !== undefined && storage.s3 !== undefined;
}

/** The store as gate and DocBuilder are told of it; nothing where each has a volume of its own. */
export function storeVariables(situation: Situation): Variables {
  const { postgres, s3 } = situation.instance.spec.storage;
  if (!postgres || !s3) return {};
  return {
    SVC_DATABASE_URL_FILE: secretFile(situation, 'database-url'),
    // libpq's own: it counts where the address says nothing.
    PGSSLMODE: postgres.sslMode && SSL_MODES[postgres.sslMode],
    SVC_S3_BUCKET: s3.bucket,
    SVC_S3_ENDPOINT: s3.endpoint,
    SVC_S3_REGION: s3.region,
    SVC_S3_PREFIX: s3.prefix,
    SVC_S3_ACCESS_KEY_ID_FILE: secretFile(situation, 's3-access-key-id'),
    SVC_S3_SECRET_ACCESS_KEY_FILE: secretFile(situation, 's3-secret-access-key'),
  };
}

/** Ports of database and bucket, as their addresses name them. */
export function storePorts({ instance, secrets }: Pick<Situation, 'instance' | 'secrets'>): number[] {
  const { endpoint } = instance.spec.storage.s3 ?? {};
  const port = (address: string | undefined): number[] => {
    const { port, protocol } = URL.parse(address ?? '') ?? {};
    return protocol === undefined ? [] : [Number(port) || (DEFAULT_PORTS[protocol] ?? DATABASE_PORT)];
  };
  return [...new Set([...port(secrets['database-url']), ...port(endpoint)])];
}

/** Addresses of the agent that hands pods of EKS the keys of their role; needed where no Secret has keys. */
export function roleAddresses({ storage: { s3 } }: SvcInstanceSpec): readonly string[] {
  return s3 && s3.secretName === undefined ? POD_IDENTITY : [];
}

/** Annotations of the ServiceAccounts whose pods use the bucket. */
export function bucketRole({ storage: { s3 } }: SvcInstanceSpec, component: ComponentName): Record<string, string> {
  return s3 && (component === 'gate' || component === 'docbuilder') ? s3.serviceAccountAnnotations : {};
}
