import type { ListenAddress } from '../../../src/common/config.ts';
import type { LicenseState } from '../../../src/common/crypto/license.ts';
import type { PodOverrides, SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import type { DocbuilderPlan } from '../../../src/common/plan.ts';
import type { ObjectMeta } from '../k8s/api.ts';

export type ComponentName = 'gate' | 'docbuilder' | 'editor' | 'front';

export type PodResources = NonNullable<PodOverrides['resources']>;

/** An instance as the API server has it: with the schema's defaults filled in. */
export interface Instance {
  metadata: ObjectMeta & { namespace: string; uid: string };
  spec: SvcInstanceSpec;
}

/** The members of the chart's value `allow`: parts of a spec that an administrator must allow. */
export type PolicyField =
  | 'ingressAnnotations'
  | 'serviceAnnotations'
  | 'serviceAccountAnnotations'
  | 'podAnnotations'
  | 'podLabels'
  | 'priorityClasses'
  | 'tolerations'
  | 'editorParams'
  | 'secrets';

/** Allowed names; one that ends with `*` is a prefix. */
export type Policy = Readonly<Partial<Record<PolicyField, readonly string[]>>>;

/** The controller's own settings, the same for all instances. */
export interface Settings {
  /** Label `app.kubernetes.io/version`. */
  version: string;
  /** For instances that name none. */
  images: Record<ComponentName, string>;
  /** Secrets for private registries, for instances that name none. */
  pullSecrets: readonly string[];
  /** Such as `cluster.local`. */
  clusterDomain: string;
  /** Address of DNS for the front's `resolver`. Empty: each front asks that of its own node. */
  clusterDns: string;
  /** Address of DNS for policies. Empty: none is known. */
  dnsAddress: string;
  /** Where the controller listens: its pods and those of instances have addresses of the same family. */
  listen: Pick<ListenAddress, 'host'>;
  /** JWK Set of the keys that licences are signed with, as text. */
  licenseKeys: string;
  policy: Policy;
}

/** Values of the Secret `<instance>-secrets`, by key. */
export type SecretValues = Readonly<Record<string, string>>;

/** DocBuilder as it runs. */
export interface RunningDocbuilder {
  /** Resources that the Deployment's template keeps although another size is wanted, since a change replaces the pod. */
  template?: PodResources | undefined;
  /** MiB that each of its pods may use. */
  memory?: number | undefined;
  replicas?: number | undefined;
}

/** Everything that the objects of an instance follow from. */
export interface Situation {
  instance: Instance;
  settings: Settings;
  /** The licence in force. No pod template depends on it. */
  license: LicenseState;
  plan: DocbuilderPlan;
  /** Content of `<instance>-license`. Absent members: there is none. */
  licenseFiles: { token?: string; removedAt?: string };
  secrets: SecretValues;
  /** Absent: it does not run yet. */
  docbuilder?: RunningDocbuilder | undefined;
}
