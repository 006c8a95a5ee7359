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
  /** The header that brings the admin token; a real build was seen to say `Cookie`. It is in the page as well. */
  adminCookie?: 'Set-Cookie' | 'Cookie';
  /** Failed uploads in a row before a document that nobody has open is given up; 0 never gives up. */
  limitStoreFailures?: number;
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
  /** Discovery: a 500, text that is no XML, or no answer. */
  discovery: 'ok' | 'error' | 'broken' | 'hang';
  /** The editor page: a 500 or no answer. */
  page: 'ok' | 'error' | 'hang';
  /** Before the editor page is answered. */
  pageDelayMs: number;
  /** Admin console: connections cut, no answer, or a list of documents that is no JSON. */
  admin: 'ok' | 'down' | 'hang' | 'broken';
  /** Every document needs this password, unless it is empty. */
  password: string;
  /** Every document fails to load. */
  load: 'ok' | 'fail';
  /** Before a CheckFileInfo is sent. */
  checkFileInfoDelayMs: number;
  /** That a save takes until its upload begins; requests for others are dropped meanwhile, without an answer. */
  saveMs: number;
  /** Before a PutFile is sent. */
  putFileDelayMs: number;
  /** PutFile: as if nothing listened there; cut after half of the body; sent, but its answer is lost; never sent. */
  putFile: 'ok' | 'refused' | 'cut' | 'unheard' | 'forgotten';
  /** Views in the admin list that nobody has. */
  ghosts: GhostView[];
  /** Views stay in the admin list after they are gone. */
  viewsStay: boolean;
}

export interface GhostView {
  /** Empty, as leaked conversions have it, or a document's WOPISrc. */
  wopiSrc: string;
  userId: string;
  userName: string;
  readonly: boolean;
}

export function noFaults(): Faults {
  return {
    discovery: 'ok',
    page: 'ok',
    pageDelayMs: 0,
    admin: 'ok',
    password: '',
    load: 'ok',
    checkFileInfoDelayMs: 0,
    saveMs: 0,
    putFileDelayMs: 0,
    putFile: 'ok',
    ghosts: [],
    viewsStay: false,
  };
}
