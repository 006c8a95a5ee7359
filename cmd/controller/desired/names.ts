import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import type { ComponentName, Instance, Settings } from './types.ts';

/** Group and version of our API. */
export const API_VERSION = 'svc.internal/v1';
export const KIND = 'SvcInstance';

/** In the order in which data flows: whoever is asked by another comes first. */
export const COMPONENTS: readonly ComponentName[] = ['gate', 'docbuilder', 'editor', 'front'];

/** Ports of the containers, as in the images. */
export const PORTS = {
  gate: { http: 8080, internal: 8081 },
  docbuilder: { http: 8080 },
  editor: { http: 9980 },
  front: { http: 8080, open: 8081, ask: 8082 },
} as const;

/**
 * The names of all objects of an instance; each at most 14 characters longer than its own.
 * @param instance `metadata.name` of an SvcInstance: a DNS label of at most 40 characters
 */
export function objectNames(instance: string) {
  return {
    /** Most objects of a component have its name. */
    component: {
      gate: `${instance}-gate`,
      docbuilder: `${instance}-docbuilder`,
      editor: `${instance}-editor`,
      front: `${instance}-front`,
    } satisfies Record<ComponentName, string>,
    /** Service of the gate's internal port. */
    gateInternal: `${instance}-gate-internal`,
    /** Service of the front's ports that are the edge's alone. */
    frontAsk: `${instance}-front-ask`,
    /** Secrets of the values and the licence in force. */
    secrets: `${instance}-secrets`,
    license: `${instance}-license`,
    /** Ingress or HTTPRoute of everything; the two others only with gating AuthUrl. */
    edge: instance,
    edgePage: `${instance}-page`,
    edgeSocket: `${instance}-socket`,
    /** NetworkPolicy of all pods; each component has one more of its own name. */
    defaultDeny: `${instance}-default-deny`,
  };
}

/** All of them. */
export function allNames(instance: string): string[] {
  const { component, ...others } = objectNames(instance);
  return [...Object.values(component), ...Object.values(others)];
}

const DEFAULT_PORT = { https: 443, http: 80 } as const;

/** Returns whether browsers come over TLS. It ends before the front, in any case. */
export function isTls(spec: SvcInstanceSpec): boolean {
  return spec.tls.mode === 'Edge';
}

/** Host, and the port where it is not the scheme's own, as in an `Origin` or `Host` header: `office.example:8443`. */
export function publicHost(spec: SvcInstanceSpec): string {
  const usual = DEFAULT_PORT[isTls(spec) ? 'https' : 'http'];
  return spec.port === undefined || spec.port === usual ? spec.host : `${spec.host}:${spec.port}`;
}

/** The contract's `{base_url}`, without a slash at its end: `https://office.example`. It is also the service's own origin. */
export function baseUrl(spec: SvcInstanceSpec): string {
  return `${isTls(spec) ? 'https' : 'http'}://${publicHost(spec)}`;
}

/** The address at which the editor finds the WOPI host, and the only one that it talks to. */
export function wopiUrl(instance: Instance): string {
  return `http://${objectNames(instance.metadata.name).gateInternal}:${PORTS.gate.internal}`;
}

/** The address at which the gate finds the editor. */
export function editorUrl(instance: Instance): string {
  return `http://${objectNames(instance.metadata.name).component.editor}:${PORTS.editor.http}`;
}

/** Ports of protocols for addresses that have none. */
const USUAL_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'postgresql:': 5432,
  'postgres:': 5432,
};

/** Returns the ports of addresses, each once; what is no address has none. */
export function portsOf(addresses: readonly (string | undefined)[]): number[] {
  const ports = addresses.flatMap((address) => {
    const { port, protocol } = URL.parse(address ?? '') ?? {};
    return protocol === undefined ? [] : ((Number(port) || USUAL_PORTS[protocol]) ?? []);
  });
  return [...new Set(ports)];
}

/** A Service's whole name, for those who have no search list: `office-gate.default.svc.cluster.local`. */
export function serviceHost(instance: Instance, settings: Pick<Settings, 'clusterDomain'>, service: string): string {
  return `${service}.${instance.metadata.namespace}.svc.${settings.clusterDomain}`;
}
