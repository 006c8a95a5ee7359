/**
 * Types of `SVC`, which `<script src="{base_url}/svc/api.js">` defines. Keep this file beside your own sources: it
 * declares a global, there is nothing to import.
 *
 * A page with a Content-Security-Policy needs the service's origin in `script-src`, `connect-src`, `frame-src` and
 * `form-action`; nothing inline, no `eval`. No cookies and no storage are used.
 */
declare namespace SVC {
  /**
   * Puts an editor into an element: `new SVC.Editor('editor', config)`, with or without `new`.
   * @param target the element or its id (inside of a shadow tree only the element itself can be found)
   * @throws {SVC.EditorError} `invalid_config`: no such element, it has an editor already, or the configuration is wrong
   */
  const Editor: {
    new (target: string | HTMLElement, config: Config): Editor;
    (target: string | HTMLElement, config: Config): Editor;
  };

  interface Config {
    /** The document; may come from `token`. */
    document?: DocumentConfig;
    /** How and by whom it is edited; may come from `token`. */
    editor?: EditorConfig;
    ui?: UiConfig;
    /** HS256 JWT whose payload is the configuration itself. When the server has a secret it is required. */
    token?: string;
    events?: Events;
    /** CSS length, or pixels. `100%` unless given. */
    width?: string | number;
    /** CSS length, or pixels. `100%` unless given; 600 pixels in an element that has no height when it is first shown. */
    height?: string | number;
    /** Origin of the service. The one that the script came from unless given. */
    serverUrl?: string;
    /** Ask before the page is left with changes that are not stored. `false` unless given. */
    warnBeforeUnload?: boolean;
    /** Put the keyboard into the document once it is there, if nothing else on the page has it. `true` unless given. */
    autofocus?: boolean;
  }

  interface DocumentConfig {
    /** Where the server (not the browser) downloads the file. */
    url: string;
    /** Display name. */
    title?: string;
    fileType: 'docx' | 'doc' | 'odt' | 'rtf' | 'txt' | 'xlsx' | 'xls' | 'ods' | 'csv' | 'pptx' | 'ppt' | 'odp';
    /** Groups those who edit one version of a document together: `^[A-Za-z0-9._-]{1,128}$`. */
    key: string;
  }

  interface EditorConfig {
    /** `edit` unless given. */
    mode?: Mode;
    /** The document is never changed: it opens in mode `view` and stays so. */
    readOnly?: boolean;
    /** Interface language; `vi` unless given. */
    lang?: string;
    user?: User;
    /** Where the server sends signed save callbacks. */
    callbackUrl?: string;
  }

  interface UiConfig {
    toolbar?: 'tabbed' | 'classic' | 'compact';
    closeButton?: boolean;
    print?: boolean;
    export?: boolean;
    copy?: boolean;
    userList?: boolean;
    sidebar?: boolean;
    statusBar?: boolean;
    ruler?: boolean;
  }

  type Mode = 'edit' | 'view';

  interface User {
    id: string;
    name: string;
  }

  interface Events {
    /** The editor's page answers. Comes again before each `onDocumentLoaded`, and when its page was loaded anew. */
    onReady?(info: Info): void;
    /**
     * The document is on the screen. Comes again after `setReadOnly`, when the element was moved in the page, and when
     * the page is shown again out of the browser's back-forward cache.
     */
    onDocumentLoaded?(info: Info): void;
    /** The document has unsaved changes now, or has none any more. Having none does not mean that they are stored. */
    onModified?(event: { modified: boolean }): void;
    /** The server has stored a version, whoever or whatever made it. Versions in quick succession may come as one. */
    onSaved?(version: SavedVersion): void;
    /** The editor has gone, by `close()` or by its close button. Comes once. */
    onClose?(event: { reason: 'method' | 'user' }): void;
    /** All places for editing are taken: the document is open for reading. */
    onLimitReached?(event: { message: string; limit: Limit | null }): void;
    onError?(error: { code: string; message: string; detail: Record<string, unknown> }): void;
  }

  /** A version that is on the server's disk. */
  interface SavedVersion {
    version: number;
    /** Signed download link. */
    url: string;
    /** Bytes. */
    size: number;
    /** Hex SHA-256 of the file. */
    sha256: string;
    /** ISO 8601, UTC; null for the original. */
    savedAt: string | null;
  }

  interface SaveResult extends SavedVersion {
    /** There was nothing to save: this is the version that was there already. */
    unmodified: boolean;
  }

  interface Limit {
    code: 'connection_limit_reached';
    limit: number;
    current: number;
    pending: number;
  }

  interface Info {
    /** `failed`: the document did not open. */
    state: 'loading' | 'loaded' | 'closing' | 'closed' | 'failed' | 'destroyed';
    /** What was granted; null until the server has answered. */
    mode: Mode | null;
    requestedMode: Mode | null;
    /** Open for reading since all places for editing were taken. */
    limited: boolean;
    modified: boolean;
    /** The newest version known; 0 is the original. */
    version: number | null;
    savedAt: string | null;
    key: string | null;
    docId: string | null;
    sessionId: string | null;
    /** Who had the document open when the server was last asked. */
    users: User[];
  }

  interface Editor {
    /**
     * Saves. Resolves when the server has the version on disk: what was typed before the call is in it.
     * @throws {SVC.EditorError} `save_failed`, `save_timeout` (30 s), `network_error`
     */
    save(): Promise<SaveResult>;
    /** Saves, then closes and empties the element. When it can't be saved it rejects and stays open. A view always closes. */
    close(): Promise<void>;
    /**
     * Removes everything at once, without saving. Promises that are still open reject with `closed`. To be called when
     * the element goes; an editor whose element has gone without it notices within 30 seconds.
     */
    destroy(): void;
    /**
     * Saves, then opens the document anew for reading, or for editing. Resolves with what was granted when it is open:
     * `view` although editing was asked for when all places are taken (`onLimitReached` says so, too).
     */
    setReadOnly(on: boolean): Promise<Mode>;
    /** What is known at this moment. */
    getInfo(): Info;
  }

  /**
   * `code` is one of the server's codes or one of the browser's own: `network_error`, `load_failed`, `save_failed`,
   * `save_timeout`. Only thrown, never told to `onError`: `not_loaded` and `closed` (by methods that come too early or
   * too late), and `invalid_config` of the constructor; that of the server is told.
   */
  interface EditorError extends Error {
    code: string;
    detail: Record<string, unknown>;
  }
}

interface Window {
  SVC: typeof SVC;
}
