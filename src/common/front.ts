/**
 * Settings of `ingress/front/nginx.conf.template`. Addresses are `host:port`; after a name ` resolve` makes nginx
 * (1.27.3 or later) look it up while it runs.
 */
export interface FrontSettings {
  /** Folder for the pid file and temporary files. */
  prefix: string;
  /** Folder of `start.sh`, the templates and the pages. */
  directory: string;
  /** File of the access log; `/dev/stdout` by default. */
  log?: string;
  workers?: number;
  /** Listen address of all three ports, such as `0.0.0.0` or `[::]`. */
  address: string;
  /** Port that asks the gate. */
  port: number;
  /** Port that does not ask, for an edge that has asked (gating mode `AuthUrl`). Never open to clients. */
  openPort: number;
  /** Port on which such an edge asks. Never open to clients. */
  askPort: number;
  /** The gate's public and internal listeners. */
  gate: string;
  gateInternal: string;
  docbuilder: string;
  editor: string;
  /** DNS server for names with ` resolve`. */
  resolver?: string | undefined;
  /** Addresses and CIDRs of proxies whose `X-Forwarded-For` counts. */
  trustedEdges?: readonly string[] | undefined;
  /** True: the client is the last address that is none of theirs; false: the last one. True by default. */
  trustedChain?: boolean | undefined;
  /** Concurrent requests of one client, and in all; without editing sockets. */
  requestsPerAddress?: number | undefined;
  requests?: number | undefined;
}

/** Returns the settings as variables of `ingress/front/start.sh`. */
export function frontVariables(settings: FrontSettings): Record<string, string> {
  return {
    SVC_FRONT_PREFIX: settings.prefix,
    SVC_FRONT_DIR: settings.directory,
    SVC_FRONT_LOG: settings.log ?? '/dev/stdout',
    SVC_FRONT_WORKERS: String(settings.workers ?? 2),
    SVC_FRONT_ADDRESS: settings.address,
    SVC_FRONT_PORT: String(settings.port),
    SVC_FRONT_OPEN_PORT: String(settings.openPort),
    SVC_FRONT_ASK_PORT: String(settings.askPort),
    SVC_FRONT_GATE: settings.gate,
    SVC_FRONT_GATE_INTERNAL: settings.gateInternal,
    SVC_FRONT_DOCBUILDER: settings.docbuilder,
    SVC_FRONT_EDITOR: settings.editor,
    SVC_FRONT_RESOLVER: settings.resolver ?? '127.0.0.1',
    SVC_FRONT_TRUSTED_EDGES: (settings.trustedEdges ?? []).join(','),
    SVC_FRONT_TRUSTED_CHAIN: settings.trustedChain === false ? 'off' : 'on',
    SVC_FRONT_REQUESTS_PER_ADDRESS: String(settings.requestsPerAddress ?? 2_000),
    SVC_FRONT_REQUESTS: String(settings.requests ?? 4_000),
  };
}
