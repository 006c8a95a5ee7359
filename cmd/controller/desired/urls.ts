import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import { objectNames, PORTS } from './names.ts';
import type { Instance, Settings } from './types.ts';

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

/** A Service's whole name, for those who have no search list: `office-gate.default.svc.cluster.local`. */
export function serviceHost(instance: Instance, settings: Pick<Settings, 'clusterDomain'>, service: string): string {
  return `${service}.${instance.metadata.namespace}.svc.${settings.clusterDomain}`;
}
