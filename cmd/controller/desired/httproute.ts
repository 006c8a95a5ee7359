import type { KubernetesObject } from '../k8s/api.ts';
import { FRONT_SERVICE_PORT } from './front.ts';
import { type Metadata, metadata } from './labels.ts';
import { objectNames } from './names.ts';
import type { Situation } from './types.ts';

/** gateway.networking.k8s.io/v1 HTTPRoute, as far as it is used here. */
export interface HttpRoute extends KubernetesObject {
  metadata: Metadata;
  spec: {
    parentRefs: { name: string; namespace?: string; sectionName?: string }[];
    hostnames: string[];
    rules: {
      matches: { path: { type: 'PathPrefix'; value: string } }[];
      timeouts: { request: string; backendRequest: string };
      backendRefs: { name: string; port: number }[];
    }[];
  };
}

/** The HTTPRoute of an instance, where its spec wants one: all of the host to the front. */
export function httpRouteObjects(situation: Situation): readonly HttpRoute[] {
  const { host, ingress } = situation.instance.spec;
  if (ingress.kind !== 'HTTPRoute' || ingress.gating === 'None' || !ingress.gateway) return [];
  const { name, namespace, sectionName } = ingress.gateway;
  const names = objectNames(situation.instance.metadata.name);
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: metadata(situation, names.edge, undefined, ingress.annotations),
      spec: {
        parentRefs: [{ name, ...(namespace !== undefined && { namespace }), ...(sectionName && { sectionName }) }],
        hostnames: [host],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/' } }],
            // None: the front keeps the limits.
            timeouts: { request: '0s', backendRequest: '0s' },
            backendRefs: [{ name: names.component.front, port: FRONT_SERVICE_PORT }],
          },
        ],
      },
    },
  ];
}
