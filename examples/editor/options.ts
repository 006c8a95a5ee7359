/** Options of the stand-in editor. Defaults are those of the real editor. */
export interface EditorOptions {
  /** 0 takes a free one. */
  port: number;
  host: string;
  /** `host` or `host:port` of the WOPI hosts that documents may come from; any when absent. */
  wopiAllow?: readonly string[];
  /** Credentials of the admin console; null turns the console off. An empty user or password lets nobody in. */
  admin: { user: string; password: string } | null;
  /** Public host (and port) for discovery and for Origin; without it the request's own Host is used. */
  serverName?: string;
  /** TLS ends at a proxy: URLs in discovery are https. */
  sslTermination?: boolean;
  /** CSP frame-ancestors of the operator; the editor's own and the WOPI host's are added. */
  frameAncestors?: readonly string[];
  /** The form of the WebSocket URL that its own page uses; both are always accepted. */
  uri?: UriForm;
  timings?: Partial<Timings>;
  faults?: Partial<Faults>;
}

export type UriForm = '25.04' | '26.04';

/** Milliseconds. */
export interface Timings {
  /** Autosave after nobody has typed for this long. */
  idleSave: number;
  /** Autosave of a document that is edited without a pause. */
  periodicSave: number;
  /** Between uploads; a tenth of it once nobody is left. */
  uploadGap: number;
  /** From the second retry on, once nobody is left. */
  unloadRetry: number;
  /** Time that views stay listed after giving up, and that an upload may go on when nobody waits for it. */
  giveUp: number;
  /** Time that views stay listed after the last upload was too large. */
  tooLarge: number;
  /** Timeout of requests to the WOPI host. */
  request: number;
  ping: number;
}

export const TIMINGS: Readonly<Timings> = {
  idleSave: 30_000,
  periodicSave: 300_000,
  uploadGap: 5_000,
  unloadRetry: 4_000,
  giveUp: 2_000,
  tooLarge: 60_000,
  request: 30_000,
  ping: 18_000,
};

/** Faults on demand; may be changed while the editor runs. */
export interface Faults {
  /** Discovery: a 500, or text that is no XML. */
  discovery: 'ok' | 'error' | 'broken';
  /** Before the editor page is answered. */
  pageDelayMs: number;
}

export function noFaults(): Faults {
  return { discovery: 'ok', pageDelayMs: 0 };
}
