import type { V1Ingress } from '@kubernetes/client-node';
import type { KubernetesObject } from '../k8s/api.ts';

/** The state of an Ingress or HTTPRoute, as an edge has written it down. */
export interface EdgeObject {
  /** The Ingress has an address, the HTTPRoute was accepted. */
  taken: boolean;
  /** A Gateway has this against it, in a sentence. */
  refusal?: string;
  /** An Ingress has its own class, or the cluster's default one. */
  className?: string;
}

/** The older way to name a class, which some controllers still read. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
/** Conditions of gateway.networking.k8s.io/v1 RouteParentStatus that mean, when false, that nobody gets through. */
const TELLING: ReadonlySet<string> = new Set(['Accepted', 'ResolvedRefs']);

interface RouteStatus {
  parents?: {
    parentRef?: { name?: string };
    conditions?: { type: string; status: string; reason?: string; message?: string; observedGeneration?: number }[];
  }[];
}

/** Reads an object that leads people to the front; undefined for all others. */
export function parseEdgeObject(object: KubernetesObject): EdgeObject | undefined {
  if (object.kind === 'Ingress') return ingressState(object as KubernetesObject & V1Ingress);
  return object.kind === 'HTTPRoute' ? routeState(object) : undefined;
}

function ingressState({ metadata, spec, status }: KubernetesObject & Pick<V1Ingress, 'spec' | 'status'>): EdgeObject {
  const className = spec?.ingressClassName ?? metadata.annotations?.[CLASS_ANNOTATION];
  const addresses = status?.loadBalancer?.ingress ?? [];
  return { taken: addresses.length > 0, ...(className !== undefined && { className }) };
}

function routeState(object: KubernetesObject): EdgeObject {
  const { parents = [] } = (object as KubernetesObject & { status?: RouteStatus }).status ?? {};
  const accepted = parents.some(({ conditions = [] }) =>
    conditions.some(({ type, status }) => type === 'Accepted' && status === 'True'),
  );
  const refusal = routeRefusal(object, parents);
  return { taken: accepted && refusal === undefined, ...(refusal !== undefined && { refusal }) };
}

/** Undefined while no Gateway has said anything against the route's newest spec. */
function routeRefusal(
  { metadata }: KubernetesObject,
  parents: NonNullable<RouteStatus['parents']>,
): string | undefined {
  const { name, generation = 0 } = metadata;
  for (const { parentRef, conditions = [] } of parents) {
    const against = conditions.find(
      ({ type, status: value, observedGeneration = generation }) =>
        TELLING.has(type) && value === 'False' && observedGeneration >= generation,
    );
    if (against) {
      const why = [against.reason, against.message].filter(Boolean).join(': ');
      return `Gateway ${parentRef?.name ?? ''} does not accept HTTPRoute ${name}: ${why || against.type}.`;
    }
  }
  return undefined;
}
