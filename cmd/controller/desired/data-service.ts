import type { V1Secret } from '@kubernetes/client-node';
import { type KubernetesObject, RESOURCES } from '../k8s/api.ts';
import { type Manifest, manifest } from './labels.ts';
import { objectNames } from './names.ts';
import { configMount, type Mount, type PodParts, secretMount, type Variables } from './pod.ts';
import { encoded, secretFiles } from './secrets.ts';
import { isShared, storeVariables } from './storage.ts';
import type { Situation } from './types.ts';
import { deployment, disruptionBudget, LEAVE_SECONDS, LEAVING, ONE_AT_A_TIME, rolling } from './workload.ts';

/** Keys of the Secret `<instance>-license`. */
export const LICENSE_KEY = { token: 'token', removedAt: 'removed-at', keys: 'keys.json' } as const;

const LICENSE_PATH = '/run/svc/license';
const CA_PATH = '/run/svc/ca';
const CA_FILE = 'ca.crt';

/**
 * Variables that gate and DocBuilder have in common.
 * @param demo hosts of the service's own that documents may come from
 */
export function commonVariables(situation: Situation, demo: readonly string[] = []): Variables {
  const { outbound, logLevel, auditTarget, devMode } = situation.instance.spec;
  return {
    ...storeVariables(situation),
    // The service watches the files.
    SVC_LICENSE_FILE: `${LICENSE_PATH}/${LICENSE_KEY.token}`,
    SVC_LICENSE_KEYS_FILE: `${LICENSE_PATH}/${LICENSE_KEY.keys}`,
    SVC_FETCH_ALLOW_HOSTS: [...demo, ...outbound.allowHosts].join(','),
    SVC_FETCH_DENY: outbound.denyCidrs.join(','),
    SVC_FETCH_PROXY: outbound.proxy,
    // Node's own: authorities besides those that it knows.
    NODE_EXTRA_CA_CERTS: outbound.caBundle && `${CA_PATH}/${CA_FILE}`,
    SVC_LOG_LEVEL: logLevel.toLowerCase(),
    SVC_AUDIT_TARGET: auditTarget,
    SVC_DEV_MODE: devMode,
  };
}

/**
 * Secrets, licence and authorities as files. The Secret of the licence is mounted whole and under a name that never changes,
 * so that a token may come, change and go without a pod noticing anything but another file.
 */
export function commonFiles(situation: Situation, component: 'gate' | 'docbuilder'): Mount[] {
  const { metadata, spec } = situation.instance;
  const { license } = objectNames(metadata.name);
  const files = [secretFiles(situation, component), secretMount('license', LICENSE_PATH, license)];
  if (!spec.outbound.caBundle) return files;
  const { configMapName, key } = spec.outbound.caBundle;
  return [...files, configMount('ca', CA_PATH, configMapName, [{ key, path: CA_FILE }])];
}

/** The Secret `<instance>-license`: the token, which Community has not, and the public keys that licences are verified with. */
export function licenseSecret(situation: Situation): Manifest<V1Secret> {
  const { instance, settings, licenseFiles } = situation;
  const { license } = objectNames(instance.metadata.name);
  const { token, removedAt } = licenseFiles;
  const data = encoded({
    ...(token !== undefined && { [LICENSE_KEY.token]: token }),
    ...(removedAt !== undefined && { [LICENSE_KEY.removedAt]: removedAt }),
    [LICENSE_KEY.keys]: settings.licenseKeys,
  });
  return manifest<Manifest<V1Secret>>(situation, RESOURCES.secret, { name: license }, { type: 'Opaque', data });
}

/**
 * The Deployment of gate or DocBuilder: with a volume one pod, otherwise as many as wanted, which have a disruption budget and
 * leave slowly enough for the front to ask the others.
 */
export function dataWorkload(
  situation: Situation,
  component: 'gate' | 'docbuilder',
  replicas: number | undefined,
  pod: PodParts,
): KubernetesObject[] {
  if (!isShared(situation.instance.spec)) return [deployment(situation, component, ONE_AT_A_TIME, pod)];
  const several = deployment(situation, component, rolling(replicas), {
    ...pod,
    // A service that its store keeps from starting says why in its last line; the status repeats it.
    container: { ...pod.container, ...LEAVING, terminationMessagePolicy: 'FallbackToLogsOnError' },
    terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds + LEAVE_SECONDS,
    spread: true,
    movable: true,
  });
  return [disruptionBudget(situation, component), several];
}
