/**
 * Types of `SVC`, which `<script src="{base_url}/svc/api.js">` defines. Save this file among your own sources: it
 * declares a global, so there is nothing to import.
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
    /** The document. Required, here or in `token`. */
    document?: DocumentConfig;
    /** Mode, user and language of the editor. Required, here or in `token`; may be empty. */
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
    /** Ask for confirmation before the page is left with unsaved changes. `false` unless given. */
    warnBeforeUnload?: boolean;
    /** Focus the document once it is loaded, if nothing else on the page has the focus. `true` unless given. */
    autofocus?: boolean;
  }

  interface DocumentConfig {
    /** URL from which the server (not the browser) downloads the file. */
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
    /** The session never edits: it opens in mode `view` and stays so. */
    readOnly?: boolean;
    /** Interface language; `vi` unless given. */
    lang?: string;
    user?: User;
    /** The URL to which the server sends signed save callbacks. */
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
    /**
     * The editor's page is ready. Fires again whenever the page was opened anew, before `onDocumentLoaded`, and after the
     * editor has reloaded it; not where the page goes on after a silence of the network.
     */
    onReady?(info: Info): void;
    /**
     * The document is displayed. Fires again after `setReadOnly`, after a lost connection, after the element was moved
     * within the page, and when the page is restored from the browser's back-forward cache.
     */
    onDocumentLoaded?(info: Info): void;
    /** The document has unsaved changes now, or no longer has any. `false` does not mean that they are stored. */
    onModified?(event: { modified: boolean }): void;
    /** The server has stored a version, whoever saved it. Versions in quick succession may be reported as one. */
    onSaved?(version: SavedVersion): void;
    /** The editor was closed, by `close()` or by its close button. Fires once. */
    onClose?(event: { reason: 'method' | 'user' }): void;
    /** The cap of concurrent editing connections is reached: the document is open read-only. */
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
    /** There was nothing to save: this is the version that there was when it was called, and no newer one. */
    unmodified: boolean;
  }

  interface Limit {
    code: 'connection_limit_reached';
    limit: number;
    current: number;
    pending: number;
  }

  interface Info {
    /** `loading`: also while a lost connection is being restored. `failed`: the document did not open. */
    state: 'loading' | 'loaded' | 'closing' | 'closed' | 'failed' | 'destroyed';
    /** The granted mode; null until the server has answered. */
    mode: Mode | null;
    requestedMode: Mode | null;
    /** Open read-only because the cap of editing connections was reached. */
    limited: boolean;
    modified: boolean;
    /** The newest version known; 0 is the original. */
    version: number | null;
    savedAt: string | null;
    key: string | null;
    docId: string | null;
    sessionId: string | null;
    /** The users who had the document open when the server was last asked. */
    users: User[];
  }

  interface Editor {
    /**
     * Saves. Resolves when the version, with everything typed before the call, is on the server's disk. While the
     * connection is lost it waits for it, for at most 30 seconds.
     * @throws {SVC.EditorError} `save_failed`, `save_timeout` (30 s), `network_error`
     */
    save(): Promise<SaveResult>;
    /** Saves, then closes and empties the element. If the save fails, rejects and stays open. A view always closes. */
    close(): Promise<void>;
    /**
     * Removes everything at once, without saving. Pending promises reject with `closed`. Call it when you remove the
     * element; otherwise the editor notices the removal only after up to 30 seconds.
     */
    destroy(): void;
    /**
     * Saves, then reopens the document for reading or for editing. Resolves, once it is open, with the granted mode:
     * `view` if editing was requested but the cap is reached (`onLimitReached` fires too).
     */
    setReadOnly(on: boolean): Promise<Mode>;
    /** The current state. */
    getInfo(): Info;
  }

  /**
   * `code` is one of the server's codes or one of the browser's own: `network_error`, `load_failed`, `save_failed`,
   * `save_timeout`. Only thrown, never passed to `onError`: `not_loaded` and `closed` (by methods that are called too
   * early or too late), and `invalid_config` of the constructor; the server's own `invalid_config` is passed to it.
   */
  interface EditorError extends Error {
    code: string;
    detail: Record<string, unknown>;
  }
}

interface Window {
  SVC: typeof SVC;
}
