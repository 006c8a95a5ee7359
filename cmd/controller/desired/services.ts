import type { V1Service, V1ServicePort, V1ServiceSpec } from '@kubernetes/client-node';
import { type Manifest, metadata, selectorLabels } from './labels.ts';
import type { ComponentName, Situation } from './types.ts';

export interface ServiceParts {
  ports: readonly (Pick<V1ServicePort, 'name' | 'port' | 'targetPort' | 'nodePort'> & { name: string })[];
  /** No address of its own: its name stands for the addresses of the pods. */
  headless?: boolean;
  type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
  annotations?: Record<string, string>;
  /** Further members of the Service's spec. */
  spec?: V1ServiceSpec;
}

/** A Service of a component's pods. */
export function service(
  situation: Situation,
  component: ComponentName,
  name: string,
  { ports, headless, type, annotations, spec }: ServiceParts,
): Manifest<V1Service> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(situation, name, component, annotations),
    spec: {
      type: type ?? 'ClusterIP',
      ...(headless && { clusterIP: 'None' }),
      ...spec,
      selector: selectorLabels(situation.instance, component),
      ports: ports.map((port) => ({ protocol: 'TCP', ...port })),
    },
  };
}
