/**
 * Settings of `ingress/front/nginx.conf.template`. Addresses are `host:port`; a name may stand for several addresses,
 * and takes ` resolve` behind it where nginx (1.27.3 or later) is to look it up again while it runs.
 */
export interface FrontSettings {
  /** Writable folder for the pid file and temporary files. */
  prefix: string;
  /** Folder that holds `start.sh`, the templates and the pages. */
  directory: string;
  /** File that takes the access log; `/dev/stdout` unless given. */
  log?: string;
  workers?: number;
  /** Address that all three ports listen on, such as `127.0.0.1`, `0.0.0.0` or `[::]`. */
  address: string;
  /** The service: asks the gate by itself. */
  port: number;
  /** The service without asking: behind an edge that has asked (gating mode `AuthUrl`). Never open to clients. */
  openPort: number;
  /** Port that such an edge asks. Never open to clients. */
  askPort: number;
  /** The gate's public and internal listeners. */
  gate: string;
  gateInternal: string;
  docbuilder: string;
  editor: string;
  /** DNS server for names with ` resolve`. */
  resolver?: string | undefined;
  /** Addresses and CIDRs of proxies before the front that say in `X-Forwarded-For` whose request it is. */
  trustedEdges?: readonly string[] | undefined;
  /**
   * They may be in a row: the client is the last address that is none of theirs. False: it is the last one, which the edge
   * itself saw. True unless given.
   */
  trustedChain?: boolean | undefined;
  /** Requests that may be in progress: of one client, and in all. Editing sockets are none of them. */
  requestsPerAddress?: number | undefined;
  requests?: number | undefined;
}

/** The same as environment variables, for `ingress/front/start.sh`. */
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
