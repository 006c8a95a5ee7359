import { httpRouteObjects } from '../desired/httproute.ts';
import { ingressObjects } from '../desired/ingress.ts';
import type { Situation } from '../desired/types.ts';
import { baseUrl } from '../desired/urls.ts';
import type { KubernetesObject, Resource } from '../k8s/api.ts';
import { hasStatus } from '../k8s/api-error.ts';
import type { Client } from '../k8s/client.ts';
import { readCertificate } from './certificate.ts';
import { type Condition, type Finding, findCondition } from './conditions.ts';
import type { EdgeObject } from './edge-object.ts';
import type { OwnedObjects } from './owned-objects.ts';
import type { Trouble } from './ownership.ts';

const INGRESS_CLASSES: Resource = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
};
/** An edge, or who renews its certificate, takes a minute or two; after this somebody has to look. Milliseconds. */
const STALLED_MS = 600_000;

/** People get through to the front, or do not. */
export interface EdgeFound {
  /** `EdgeReady`. */
  finding: Finding;
  /** Why the instance is not ready for it. */
  trouble?: Trouble;
  /** Epoch milliseconds of when time alone makes it another one. */
  nextChange?: number | undefined;
}

interface Context {
  client: Client;
  owned: Pick<OwnedObjects, 'find'>;
  /** Conditions of before. */
  previous: readonly Condition[];
  now: number;
}

/** Looks at the edge as far as its objects, their class and the certificate tell of it: nobody asks it for a page. */
export async function observeEdge(context: Context, situation: Situation): Promise<EdgeFound> {
  const { spec } = situation.instance;
  if (spec.ingress.gating === 'None') {
    const message = 'With ingress.gating None the edge is your own: the controller knows nothing of it.';
    return { finding: { type: 'EdgeReady', status: 'Unknown', reason: 'OwnEdge', message } };
  }
  const objects = [...ingressObjects(situation), ...httpRouteObjects(situation)];
  const certificate = await readCertificate(context.client, situation.instance, context.now);
  const found = await Promise.all(objects.map((object) => findShortcoming(context, situation, object)));
  const { nextChange, problem } = certificate;
  const shortcoming = found.find((one) => one !== undefined) ?? (problem && waits(problem.reason, problem.message));
  if (!shortcoming) {
    const message = `The edge leads ${baseUrl(spec)} to the front.`;
    return { finding: { type: 'EdgeReady', status: 'True', reason: 'Accepted', message }, nextChange };
  }
  const { reason, message } = shortcoming;
  const stalled = shortcoming.stalled || isLongAgo(context);
  return {
    finding: { type: 'EdgeReady', status: 'False', reason, message },
    trouble: { reason, message, stalled },
    nextChange,
  };
}

/** Why an object does not lead to the front; undefined if it does. */
async function findShortcoming(
  { client, owned }: Context,
  { instance }: Situation,
  object: KubernetesObject,
): Promise<Trouble | undefined> {
  const what = `${object.kind} ${object.metadata.name}`;
  const found = owned.find(object)?.edge;
  if (!found) return waits('Progressing', `${what} has not been created yet.`);
  if (found.refusal !== undefined) return waits('RouteRefused', found.refusal);
  if (found.taken) return undefined;
  if (object.kind === 'Ingress') return addressless(client, what, found);
  const { name, namespace = instance.metadata.namespace } = instance.spec.ingress.gateway ?? {};
  const question = `is there a Gateway ${name} in namespace ${namespace}, and does its controller run?`;
  return waits('RouteNotAccepted', `No Gateway has accepted ${what} yet: ${question}`);
}

async function addressless(client: Client, what: string, { className }: EdgeObject): Promise<Trouble> {
  if (className === undefined) {
    const message = `${what} has no class, and the cluster has no default one: set spec.ingress.className.`;
    return { reason: 'NoIngressClass', stalled: true, message };
  }
  if (!(await hasClass(client, className))) {
    const message = `There is no IngressClass ${className}: install its ingress controller, or name another in spec.ingress.className.`;
    return { reason: 'IngressClassNotFound', stalled: true, message };
  }
  const question = `does the one of class ${className} run, and does it publish its address?`;
  return waits('NoAddress', `No ingress controller has given ${what} an address yet: ${question}`);
}

/** A controller of single namespaces may not ask: then it may be there. */
async function hasClass(client: Client, name: string): Promise<boolean> {
  try {
    return (await client.get(INGRESS_CLASSES, undefined, name)) !== undefined;
  } catch (error) {
    if (hasStatus(error, 403)) return true;
    throw error;
  }
}

function waits(reason: string, message: string): Trouble {
  return { reason, stalled: false, message };
}

function isLongAgo({ previous, now }: Context): boolean {
  const before = findCondition(previous, 'EdgeReady');
  return before?.status === 'False' && now - Date.parse(before.lastTransitionTime) >= STALLED_MS;
}
