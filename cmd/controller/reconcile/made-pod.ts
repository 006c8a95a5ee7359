import type { V1Deployment } from '@kubernetes/client-node';
import type { PodResources } from '../desired/types.ts';
import type { KubernetesObject } from '../k8s/types.ts';
import { APPLIED_HASH } from './hash.ts';

/** The size that DocBuilder's pods are made with. */
export interface MadePod {
  resources: PodResources;
  /** Of the Deployment as it was applied. */
  hash: string;
}

/** Undefined for a Deployment that is not DocBuilder's, or was never applied. */
export function madePodOf(object: KubernetesObject): MadePod | undefined {
  const { spec } = object as KubernetesObject & Pick<V1Deployment, 'spec'>;
  const container = spec?.template?.spec?.containers?.find(({ name }) => name === 'docbuilder');
  const hash = object.metadata.annotations?.[APPLIED_HASH];
  if (!container?.resources || hash === undefined) return undefined;
  const { requests, limits } = container.resources;
  return { hash, resources: { ...(requests && { requests }), ...(limits && { limits }) } };
}
