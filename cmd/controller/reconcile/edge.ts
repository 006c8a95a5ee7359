import { X509Certificate } from 'node:crypto';
import type { V1Ingress, V1Secret } from '@kubernetes/client-node';
import { iso } from '../../../src/common/clock.ts';
import { clip } from '../../../src/common/truncate.ts';
import { httpRouteObjects, ingressObjects } from '../desired/edge.ts';
import { baseUrl } from '../desired/names.ts';
import type { Situation } from '../desired/types.ts';
import { type KubernetesObject, RESOURCES, type Resource } from '../k8s/api.ts';
import { hasStatus } from '../k8s/api-error.ts';
import type { Client } from '../k8s/client.ts';
import { type Condition, type Finding, findCondition, formerFinding } from './conditions.ts';
import type { SvcInstance } from './instances.ts';
import type { Trouble } from './live-object.ts';

const INGRESS_CLASSES: Resource = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
};
/** Milliseconds after which an edge that is not ready counts as stalled. */
const STALLED_MS = 600_000;

export interface EdgeFound {
  /** `EdgeReady`. */
  finding: Finding;
  /** Why the instance is not ready. */
  trouble?: Trouble;
  /** Epoch milliseconds at which the certificate becomes valid or ends. */
  nextChange?: number | undefined;
}

interface Context {
  client: Client;
  /** The state of an object of the instance; undefined where there is none. */
  find: (object: KubernetesObject) => EdgeObject | undefined;
  /** Returns whether objects are still those of an earlier spec. */
  isOutdated: (objects: readonly KubernetesObject[]) => boolean;
  /** Conditions of before. */
  previous: readonly Condition[];
  now: number;
}

/** Reads the state of the edge from its objects, their class and the certificate; it sends no request through the edge. */
export async function observeEdge(context: Context, situation: Situation): Promise<EdgeFound> {
  const { spec } = situation.instance;
  const objects = [...ingressObjects(situation), ...httpRouteObjects(situation)];
  const former = formerFinding(context.previous, 'EdgeReady');
  if (former && context.isOutdated(objects)) return { finding: former };
  if (spec.ingress.gating === 'None') {
    const message = 'With ingress.gating None the edge is your own: the controller knows nothing of it.';
    return { finding: { type: 'EdgeReady', status: 'Unknown', reason: 'OwnEdge', message } };
  }
  const certificate = await readCertificate(context.client, situation.instance, context.now);
  let shortcoming: Trouble | undefined;
  // One after the other: only the first is told, and each may read the same class.
  for (const object of objects) shortcoming ??= await findShortcoming(context, situation, object);
  const { nextChange, problem } = certificate;
  shortcoming ??= problem && waits(problem.reason, problem.message);
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

/** Why an object does not lead to the front. */
async function findShortcoming(
  { client, find }: Context,
  { instance }: Situation,
  object: KubernetesObject,
): Promise<Trouble | undefined> {
  const what = `${object.kind} ${object.metadata.name}`;
  const found = find(object);
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

/** A controller of single namespaces may not read classes: then it may be there. */
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

/** The state of an Ingress or HTTPRoute. */
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
/** Conditions of RouteParentStatus that stop all requests when they are false. */
const TELLING: ReadonlySet<string> = new Set(['Accepted', 'ResolvedRefs']);

interface RouteStatus {
  parents?: {
    parentRef?: { name?: string };
    conditions?: { type: string; status: string; reason?: string; message?: string; observedGeneration?: number }[];
  }[];
}

/** Reads the state of an Ingress or HTTPRoute. */
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

/** Undefined while no Gateway has refused the route's newest spec. */
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

export interface CertificateFound {
  problem?: { reason: string; message: string };
  /** Epoch milliseconds at which it becomes valid or ends. */
  nextChange?: number;
}

const MAX_NAMES = 200;

/** The certificate of `spec.tls.secretName`; without one the edge has its own. */
async function readCertificate(
  client: Client,
  { metadata, spec }: Pick<SvcInstance, 'metadata' | 'spec'>,
  now: number,
): Promise<CertificateFound> {
  const { secretName } = spec.tls;
  if (secretName === undefined) return {};
  const secret = await client.get<V1Secret & KubernetesObject>(RESOURCES.secret, metadata.namespace, secretName);
  if (!secret) return problem('CertificateMissing', `There is no ${named(secretName)}: create it.`);
  // Nothing else of it is looked at: there is a private key in it.
  const text = Buffer.from(secret.data?.['tls.crt'] ?? '', 'base64').toString();
  return certificateFound(text, { what: named(secretName), host: spec.host, now });
}

/** @param text PEM, the edge's own certificate first */
export function certificateFound(
  text: string,
  { what, host, now }: { what: string; host: string; now: number },
): CertificateFound {
  const certificate = parsed(text);
  if (!certificate) return problem('CertificateUnusable', `${what}, has no certificate under tls.crt: put one there.`);
  // Browsers look at no common name.
  if (certificate.checkHost(host, { subject: 'never' }) === undefined) {
    const names = clip(certificate.subjectAltName ?? 'no name', MAX_NAMES);
    return problem('CertificateOfOtherName', `${what}, has a certificate for ${names}, not for ${host}: renew it.`);
  }
  const [from, until] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  if (now < from) {
    return {
      ...problem('CertificateNotYetValid', `${what}, has a certificate from ${iso(from)} on.`),
      nextChange: from,
    };
  }
  if (now >= until) {
    return problem('CertificateExpired', `${what}, has a certificate that expired on ${iso(until)}: renew it.`);
  }
  return { nextChange: until };
}

function parsed(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

function named(secretName: string): string {
  return `Secret ${secretName}, which spec.tls.secretName names`;
}

function problem(reason: string, message: string): CertificateFound {
  return { problem: { reason, message } };
}
