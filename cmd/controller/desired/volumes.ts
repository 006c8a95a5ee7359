import type { V1Volume } from '@kubernetes/client-node';

/** A volume and the one place where the container has it. */
export interface Mount {
  name: string;
  path: string;
  readOnly?: boolean;
  source: Omit<V1Volume, 'name'>;
}

/** For the user and its group (the pod's `fsGroup`) only: 0440. */
const READ_ONLY_MODE = 0o440;

/** Files of a Secret. With `keys` only those, each of which must exist; otherwise whatever is in it. */
export function secretMount(name: string, path: string, secretName: string, keys?: readonly string[]): Mount {
  const items = keys && { items: keys.map((key) => ({ key, path: key })) };
  return { name, path, readOnly: true, source: { secret: { secretName, defaultMode: READ_ONLY_MODE, ...items } } };
}

/** Files of a ConfigMap. */
export function configMount(name: string, path: string, configMapName: string): Mount {
  return { name, path, readOnly: true, source: { configMap: { name: configMapName, defaultMode: READ_ONLY_MODE } } };
}

/** A folder that outlives the pod. */
export function claimMount(name: string, path: string, claimName: string): Mount {
  return { name, path, source: { persistentVolumeClaim: { claimName } } };
}

/**
 * A folder that ends with the pod; the root file system is read-only.
 * @param sizeLimit a quantity; the pod is evicted above it
 * @param medium Memory: counts against the container's memory limit
 */
export function scratchMount(name: string, path: string, sizeLimit: string, medium?: 'Memory'): Mount {
  return { name, path, source: { emptyDir: { sizeLimit, ...(medium && { medium }) } } };
}
