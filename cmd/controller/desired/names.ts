import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import type { ComponentName, Instance, Settings } from './types.ts';

export const API_VERSION = 'svc.internal/v1';
export const KIND = 'SvcInstance';

/** In the order of the status. */
export const COMPONENTS: readonly ComponentName[] = ['gate', 'docbuilder', 'editor', 'front'];

/** Ports of the containers, as in the images. */
export const PORTS = {
  gate: { http: 8080, internal: 8081 },
  docbuilder: { http: 8080 },
  editor: { http: 9980 },
  front: { http: 8080, open: 8081, ask: 8082 },
} as const;

/** @param instance `metadata.name` of an SvcInstance: a DNS label of at most 40 characters */
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

/** Returns all names of `objectNames`. */
export function allNames(instance: string): string[] {
  const { component, ...others } = objectNames(instance);
  return [...Object.values(component), ...Object.values(others)];
}

const DEFAULT_PORT = { https: 443, http: 80 } as const;

/** Returns whether browsers come over TLS. */
export function isTls(spec: SvcInstanceSpec): boolean {
  return spec.tls.mode === 'Edge';
}

/** Host, and port unless it is the scheme's default: `office.example:8443`. */
export function publicHost(spec: SvcInstanceSpec): string {
  const usual = DEFAULT_PORT[isTls(spec) ? 'https' : 'http'];
  return spec.port === undefined || spec.port === usual ? spec.host : `${spec.host}:${spec.port}`;
}

/** The contract's `{base_url}`, which is also the service's origin: `https://office.example`. */
export function baseUrl(spec: SvcInstanceSpec): string {
  return `${isTls(spec) ? 'https' : 'http'}://${publicHost(spec)}`;
}

/** URL of the gate as the editor's WOPI host. */
export function wopiUrl(instance: Instance): string {
  return `http://${objectNames(instance.metadata.name).gateInternal}:${PORTS.gate.internal}`;
}

/** URL of the editor for the gate. */
export function editorUrl(instance: Instance): string {
  return `http://${objectNames(instance.metadata.name).component.editor}:${PORTS.editor.http}`;
}

/** Default ports of protocols. */
const USUAL_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'postgresql:': 5432,
  'postgres:': 5432,
};

/** Returns the ports of URLs, each once. */
export function getPorts(addresses: readonly (string | undefined)[]): number[] {
  const ports = addresses.flatMap((address) => {
    const { port, protocol } = URL.parse(address ?? '') ?? {};
    return protocol === undefined ? [] : ((Number(port) || USUAL_PORTS[protocol]) ?? []);
  });
  return [...new Set(ports)];
}

/** Returns a Service's full DNS name: `office-gate.default.svc.cluster.local`. */
export function serviceHost(instance: Instance, settings: Pick<Settings, 'clusterDomain'>, service: string): string {
  return `${service}.${instance.metadata.namespace}.svc.${settings.clusterDomain}`;
}
