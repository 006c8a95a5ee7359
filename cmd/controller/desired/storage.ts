import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import { RESOURCES } from '../k8s/api.ts';
import { INSTANCE_LABEL, type Manifest, manifest } from './labels.ts';
import { getPorts, objectNames } from './names.ts';
import { claimMount, type Mount, scratchMount, type Variables } from './pod.ts';
import { secretFile } from './secrets.ts';
import type { ComponentName, Situation } from './types.ts';

type Component = 'gate' | 'docbuilder' | 'editor';

/** The claim of a component, unless it is stateless. */
export function volumeClaims(situation: Situation, component: Component): Manifest<V1PersistentVolumeClaim>[] {
  return isStateless(situation, component) ? [] : [volumeClaim(situation, component)];
}

/** The data folder of a component: its volume, or a folder that ends with the pod. */
export function dataMount(situation: Situation, component: Component, path: string, name = 'data'): Mount {
  const { metadata, spec } = situation.instance;
  if (isStateless(situation, component)) return scratchMount(name, path, spec.storage[component].size);
  return claimMount(name, path, objectNames(metadata.name).component[component]);
}

/** Returns whether the pods of a component have no volume. */
export function isStateless({ instance: { spec } }: Situation, component: Component): boolean {
  return component === 'editor' ? spec.storage.editor.ephemeral : isShared(spec);
}

/** Without an owner, unless the spec says otherwise: the documents outlive the instance, and one of the same name takes them over. */
function volumeClaim(situation: Situation, component: Component): Manifest<V1PersistentVolumeClaim> {
  const { className, onDelete, ...parts } = situation.instance.spec.storage;
  const claim: Manifest<V1PersistentVolumeClaim> = manifest(
    situation,
    RESOURCES.persistentVolumeClaim,
    { component },
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        ...(className !== undefined && { storageClassName: className }),
        resources: { requests: { storage: parts[component].size } },
      },
    },
  );
  if (onDelete === 'Delete') return claim;
  // Argo CD may count what has this label and no owner as a part of the application of that name, and would prune it.
  const { 'app.kubernetes.io/instance': name = '', ...labels } = claim.metadata.labels;
  claim.metadata = { ...claim.metadata, labels: { ...labels, [INSTANCE_LABEL]: name }, ownerReferences: [] };
  return claim;
}

const SSL_MODES = { Disable: 'disable', VerifyFull: 'verify-full' } as const;
const POD_IDENTITY = ['169.254.170.23/32', 'fd00:ec2::23/128'];

/** Returns whether rows are in a database and bytes in a bucket: gate and DocBuilder then have no volumes. */
export function isShared({ storage }: SvcInstanceSpec): boolean {
  return storage.postgres !== undefined && storage.s3 !== undefined;
}

/** Variables of gate and DocBuilder for a shared store. */
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

/** Ports of database and bucket. */
export function storePorts({ instance, secrets }: Pick<Situation, 'instance' | 'secrets'>): number[] {
  return getPorts([secrets['database-url'], instance.spec.storage.s3?.endpoint]);
}

/** Addresses of the agent that gives pods of EKS the keys of their role, where no Secret has keys. */
export function roleAddresses({ storage: { s3 } }: SvcInstanceSpec): readonly string[] {
  return s3 && s3.secretName === undefined ? POD_IDENTITY : [];
}

/** Annotations of the ServiceAccounts whose pods use the bucket. */
export function bucketRole({ storage: { s3 } }: SvcInstanceSpec, component: ComponentName): Record<string, string> {
  return s3 && (component === 'gate' || component === 'docbuilder') ? s3.serviceAccountAnnotations : {};
}
