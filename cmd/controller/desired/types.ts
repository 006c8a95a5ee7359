import type { LicenseState } from '../../../src/common/crypto/license.ts';
import type { PodOverrides, SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import type { DocbuilderPlan } from '../../../src/common/plan.ts';
import type { KubernetesObject, ObjectMeta } from '../k8s/api.ts';

export type ComponentName = 'gate' | 'docbuilder' | 'editor' | 'front';

export type PodResources = NonNullable<PodOverrides['resources']>;

/** An instance as the API server has it: with the schema's defaults filled in. */
export interface Instance {
  metadata: ObjectMeta & { namespace: string; uid: string };
  spec: SvcInstanceSpec;
}

/** Parts of a spec that need the leave of the cluster's administrator: the members of the chart's value `allow`. */
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

/** The administrator allows names, or beginnings of names with `*` at their end. */
export type Policy = Readonly<Partial<Record<PolicyField, readonly string[]>>>;

/** The controller's own settings, the same for all instances. */
export interface Settings {
  /** Version of this product: label `app.kubernetes.io/version`. */
  version: string;
  /** The default for an instance that names none. */
  images: Record<ComponentName, string>;
  /** Names of Secrets for private registries, where an instance names none. */
  pullSecrets: readonly string[];
  /** Such as `cluster.local`. */
  clusterDomain: string;
  /** Address of the cluster's DNS, for the front's `resolver`. Empty: each front asks that of its own node. */
  clusterDns: string;
  /** One at which pods may find DNS, for policies. Empty: none is known. */
  dnsAddress: string;
  /** JWK Set of the keys that licences are signed with, as text. */
  licenseKeys: string;
  /** The administrator's leave for more than every instance may have. */
  policy: Policy;
}

/** Values of the Secret `<instance>-secrets`, by key. */
export type SecretValues = Readonly<Record<string, string>>;

/** DocBuilder as it runs. A licence is not to replace its pod, so these follow one another only as far as that allows. */
export interface RunningDocbuilder {
  /** Resources that the Deployment's template keeps, although another size is wanted. */
  template?: PodResources | undefined;
  /** MiB that each of its pods may use. */
  memory?: number | undefined;
  /** Pods that its Deployment is to have. */
  replicas?: number | undefined;
}

/** Everything that the objects of an instance follow from. */
export interface Situation {
  instance: Instance;
  settings: Settings;
  /** The licence in force: worker count and status follow from it, no pod template of gate, editor or front does. */
  license: LicenseState;
  plan: DocbuilderPlan;
  /** Content of `<instance>-license`. Absent members: there is none. */
  licenseFiles: { token?: string; removedAt?: string };
  secrets: SecretValues;
  /** Absent: it does not run yet. */
  docbuilder?: RunningDocbuilder | undefined;
}

/** One function of this kind for each file of `desired/`. */
export type Objects = (situation: Situation) => readonly KubernetesObject[];
