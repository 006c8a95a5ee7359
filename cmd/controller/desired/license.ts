import type { V1ConfigMap, V1Secret } from '@kubernetes/client-node';
import { type Manifest, metadata } from './labels.ts';
import { objectNames } from './names.ts';
import { encoded } from './secrets.ts';
import type { Instance, Situation } from './types.ts';
import { configMount, type Mount, secretMount } from './volumes.ts';

/** Keys of the Secret `<instance>-license`. */
export const LICENSE_KEY = { token: 'token', removedAt: 'removed-at' } as const;

const LICENSE_PATH = '/run/svc/license';
const KEYS_PATH = '/run/svc/license-keys';
const KEYS_FILE = 'keys.json';

/** Environment of a service that reads a licence; it watches the files. */
export const LICENSE_ENV = {
  SVC_LICENSE_FILE: `${LICENSE_PATH}/${LICENSE_KEY.token}`,
  SVC_LICENSE_KEYS_FILE: `${KEYS_PATH}/${KEYS_FILE}`,
} as const;

/**
 * Licence and keys as files. The Secret is mounted whole and under a name that never changes, so that a token may come,
 * change and go without a pod noticing anything but another file.
 */
export function licenseFiles({ metadata: { name } }: Instance): Mount[] {
  const { license, licenseKeys } = objectNames(name);
  return [secretMount('license', LICENSE_PATH, license), configMount('license-keys', KEYS_PATH, licenseKeys)];
}

/** The Secret `<instance>-license` and the ConfigMap `<instance>-license-keys`. Both exist in Community as well. */
export function licenseObjects(situation: Situation): readonly (Manifest<V1Secret> | Manifest<V1ConfigMap>)[] {
  const { instance, settings, licenseFiles } = situation;
  const { license, licenseKeys } = objectNames(instance.metadata.name);
  const { token, removedAt } = licenseFiles;
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata(situation, license),
      type: 'Opaque',
      data: encoded({
        ...(token !== undefined && { [LICENSE_KEY.token]: token }),
        ...(removedAt !== undefined && { [LICENSE_KEY.removedAt]: removedAt }),
      }),
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata(situation, licenseKeys),
      data: { [KEYS_FILE]: settings.licenseKeys },
    },
  ];
}
