import type { KubernetesObject } from '../k8s/types.ts';

/** Conditions of gateway.networking.k8s.io/v1 RouteParentStatus that mean, when false, that nobody gets through. */
const TELLING: ReadonlySet<string> = new Set(['Accepted', 'ResolvedRefs']);

interface RouteStatus {
  parents?: {
    parentRef?: { name?: string };
    conditions?: { type: string; status: string; reason?: string; message?: string; observedGeneration?: number }[];
  }[];
}

/** What a Gateway has against an HTTPRoute, in a sentence; undefined while it has not said anything against its newest spec. */
export function routeRefusal(object: KubernetesObject): string | undefined {
  const { metadata, status } = object as KubernetesObject & { status?: RouteStatus };
  const { name, generation = 0 } = metadata;
  for (const { parentRef, conditions = [] } of status?.parents ?? []) {
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
