// Made from schemas/ by `npm run generate`. Do not edit.

export interface Wire {
  BuildRequest: BuildRequest;
  ControllerConfig: ControllerConfig;
  ConvertOptions: ConvertOptions;
  ConvertRequest: ConvertRequest;
  DocbuilderConfig: DocbuilderConfig;
  DocbuilderLimits: DocbuilderLimits;
  DocbuilderStatus: DocbuilderStatus;
  DocumentCallback: DocumentCallback;
  EmbedConfig: EmbedConfig;
  EmbedModeRequest: EmbedModeRequest;
  EmbedSessionState: EmbedSessionState;
  EmbedSession: EmbedSession;
  EmbedUser: EmbedUser;
  ErrorResponse: ErrorResponse;
  ExtractedMeta: ExtractedMeta;
  ExtractedText: ExtractedText;
  Formats: Formats;
  GateConfig: GateConfig;
  GateLimits: GateLimits;
  GateStatus: GateStatus;
  JobCallbackState: JobCallbackState;
  JobCallback: JobCallback;
  JobError: JobError;
  Job: Job;
  MetaRequest: MetaRequest;
  Output: Output;
  RenderRequest: RenderRequest;
  TextRequest: TextRequest;
  ThumbnailRequest: ThumbnailRequest;
  UsageWindow: UsageWindow;
  SvcInstanceSpec: SvcInstanceSpec;
  SvcInstanceStatus: SvcInstanceStatus;
}
/**
 * POST /v1/build. A script may also be the whole body; it is then built synchronously.
 */
export interface BuildRequest {
  /**
   * The script; its schema is served at GET /v1/script.schema.json.
   */
  script: {};
  /**
   * Answer 202 with the job at once.
   */
  async?: boolean;
  /**
   * Told when the job ends. Enterprise, with `async`.
   */
  callback_url?: string;
}
/**
 * Environment of the controller. Which cluster it works for is said by the variables that every pod has, or by KUBECONFIG outside of one.
 */
export interface ControllerConfig {
  /**
   * Namespaces whose SvcInstances it looks after, separated by commas. Empty: all.
   */
  SVC_CONTROLLER_NAMESPACES: string;
  /**
   * Address and port of /healthz, /readyz and /status, such as 127.0.0.1:8081.
   */
  SVC_CONTROLLER_LISTEN: string;
  /**
   * Name by which it holds the Lease; no two processes may have the same at a time. The chart gives the pod's. Absent: the host's, and something random.
   */
  SVC_CONTROLLER_IDENTITY?: string;
  /**
   * Work only while holding the Lease, so that of several controllers one works. Without it there may be no second one.
   */
  SVC_CONTROLLER_LEADER_ELECTION: boolean;
  /**
   * Namespace of the Lease. Absent: its own.
   */
  SVC_CONTROLLER_LEASE_NAMESPACE?: string;
  /**
   * Name of the Lease. Controllers that look after the same instances share one; the chart gives each release its own.
   */
  SVC_CONTROLLER_LEASE_NAME: string;
  /**
   * Image of the gate where an instance names none.
   */
  SVC_CONTROLLER_GATE_IMAGE: string;
  /**
   * Image of DocBuilder where an instance names none.
   */
  SVC_CONTROLLER_DOCBUILDER_IMAGE: string;
  /**
   * Image of the editor server where an instance names none.
   */
  SVC_CONTROLLER_EDITOR_IMAGE: string;
  /**
   * Image of the front where an instance names none.
   */
  SVC_CONTROLLER_FRONT_IMAGE: string;
  /**
   * Domain of the cluster's names. Absent: as /etc/resolv.conf says, else cluster.local.
   */
  SVC_CONTROLLER_CLUSTER_DOMAIN?: string;
  /**
   * Address of the cluster's DNS, which fronts ask for the editor's pods. Absent: as /etc/resolv.conf says.
   */
  SVC_CONTROLLER_CLUSTER_DNS?: string;
  /**
   * Public keys that licences are verified with: a JWK Set. Absent: every licence is refused. A change counts without a restart.
   */
  SVC_LICENSE_KEYS_FILE?: string;
  /**
   * Least level that is logged.
   */
  SVC_LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /**
   * Where the audit trail goes: off, stdout, file:/path (an absolute one) or an http(s) address that takes JSON.
   */
  SVC_AUDIT_TARGET: string;
}
/**
 * How to read the source and write the target. An option that the pair does not know is a mistake, not ignored.
 */
export interface ConvertOptions {
  /**
   * Opens a protected source.
   */
  password?: string;
  /**
   * Pages to export, such as `1-3,5`. Target pdf only.
   */
  pages?: string;
  /**
   * Export PDF/A-2b. Target pdf only.
   */
  pdfa?: boolean;
  /**
   * Pictures are reduced to this many dots per inch. Target pdf only.
   */
  image_resolution?: 75 | 150 | 300 | 600 | 1200;
  /**
   * Field separator of a csv source (found out when absent) or, when the source is none, of a csv target (default `,`).
   */
  delimiter?: string;
  /**
   * Character set of a csv or txt source (found out when absent) or, when the source is none, of a csv or txt target (default utf-8).
   */
  encoding?: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1258' | 'windows-1252';
}
/**
 * POST /v1/convert: as JSON the source is fetched from `url`; as multipart/form-data it is the part `file`, and `options` is JSON, or each option a field of its own such as `options.pages`.
 */
export interface ConvertRequest {
  /**
   * The source file; multipart only.
   */
  file?: string;
  /**
   * Address the server downloads the source from; subject to the outbound URL rules. JSON only.
   */
  url?: string;
  /**
   * Target format, for example `pdf`.
   */
  to: string;
  /**
   * Source format, for files whose name has no extension.
   */
  from?: string;
  options?: ConvertOptions;
  /**
   * Answer 202 with the job at once.
   */
  async?: boolean;
  /**
   * Told when the job ends. Enterprise, with `async`.
   */
  callback_url?: string;
}
/**
 * Environment of DocBuilder. A variable marked secret may instead be given as NAME_FILE, the path of a file that holds the value.
 */
export interface DocbuilderConfig {
  /**
   * Address and port to listen on, such as 127.0.0.1:8080.
   */
  SVC_DOCBUILDER_LISTEN: string;
  /**
   * Public address of the service, for links in job objects, such as https://office.example. Default: the Host of the request, with https where the edge says so in X-Forwarded-Proto. Needed where an edge changes Host, or ends TLS and sends anything else than that one word.
   */
  SVC_BASE_URL?: string;
  /**
   * Absolute path of the folder for uploads, worker folders and results. One running service each.
   */
  SVC_DOCBUILDER_DATA_DIR: string;
  /**
   * Comma-separated list of `name:key` or `key`; a key matches ^[A-Za-z0-9_-]{24,128}$.
   */
  SVC_DOCBUILDER_API_KEYS: string;
  /**
   * Accept HS256 JWTs signed with this secret of at least 32 characters. Empty: no JWTs.
   */
  SVC_DOCBUILDER_JWT_SECRET: string;
  /**
   * Signs job callbacks. Empty: callbacks are unsigned.
   */
  SVC_DOCBUILDER_CALLBACK_SECRET: string;
  /**
   * Engine workers. Default: the number of CPU cores, at most 4.
   */
  SVC_DOCBUILDER_WORKERS?: number;
  /**
   * Jobs after which a worker is recycled.
   */
  SVC_DOCBUILDER_WORKER_MAX_JOBS: number;
  /**
   * Age at which a worker is recycled.
   */
  SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES: number;
  /**
   * Memory that a worker may use before its job is stopped.
   */
  SVC_DOCBUILDER_WORKER_MEMORY_MB: number;
  /**
   * What confines the workers. auto: namespaces, else Landlock with seccomp, else the service refuses to start.
   */
  SVC_DOCBUILDER_SANDBOX: 'auto' | 'namespaces' | 'landlock' | 'off';
  /**
   * Absolute path of LibreOffice's program folder, when it is not in a usual place.
   */
  SVC_DOCBUILDER_OFFICE_DIR?: string;
  /**
   * Lowers the plan's largest input or output file.
   */
  SVC_DOCBUILDER_MAX_FILE_MB?: number;
  /**
   * Lowers the plan's job timeout.
   */
  SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS?: number;
  /**
   * Absolute path of the file with the licence token. Watched: a new token counts at once. Absent: Community.
   */
  SVC_LICENSE_FILE?: string;
  /**
   * Absolute path of the JWK Set with the public keys that licences are verified against.
   */
  SVC_LICENSE_KEYS_FILE?: string;
  /**
   * Comma-separated host names, IP addresses and CIDRs, each with an optional :port, that outbound requests may reach although they are internal, or known to /etc/hosts or a search domain only.
   */
  SVC_FETCH_ALLOW_HOSTS: string;
  /**
   * Least level that is logged.
   */
  SVC_LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /**
   * Where the audit trail goes: off, stdout, file:/path (an absolute one) or an http(s) address that takes JSON.
   */
  SVC_AUDIT_TARGET: string;
  /**
   * 1: on a developer's machine; GET /v1/status says so.
   */
  SVC_DEV_MODE: boolean;
}
/**
 * Limits in force, after the variables that lower them, and what of them is used. null means unlimited.
 */
export interface DocbuilderLimits {
  edition: 'community' | 'enterprise';
  limits: {
    rate_per_minute: number;
    rate_per_day: number | null;
    parallel_jobs: number;
    max_queued_jobs: number;
    /**
     * Of an input or an output.
     */
    max_file_mb: number;
    result_ttl_minutes: number;
    sync_timeout_seconds: number;
    job_timeout_seconds: number;
    async: boolean;
    callback: boolean;
    max_script_units: number;
    max_outputs_per_build: number;
  };
  usage: {
    minute: UsageWindow;
    day: UsageWindow;
    running_jobs: number;
    queued_jobs: number;
  };
  /**
   * Such as `POST /v1/convert`.
   */
  allowed_endpoints: string[];
  /**
   * Of the licence; empty in Community.
   */
  features: string[];
}
/**
 * One rate window: the UTC clock minute, or the day in Vietnam (UTC+7).
 */
export interface UsageWindow {
  limit: number | null;
  used: number;
  remaining: number | null;
  reset_at: string;
}
/**
 * Health and status of DocBuilder.
 */
export interface DocbuilderStatus {
  service: 'docbuilder';
  version: string;
  api: 'v1';
  time: string;
  edition: 'community' | 'enterprise';
  dev_mode: boolean;
  /**
   * The running engine.
   */
  core: {
    name: string;
    version: string;
    source: string;
  };
  /**
   * What confines the engine's workers.
   */
  sandbox: 'namespaces' | 'landlock' | 'off';
  workers: {
    total: number;
    idle: number;
    busy: number;
    /**
     * Workers replaced since start-up.
     */
    restarts: number;
  };
  queue: {
    queued: number;
    running: number;
  };
  uptime_seconds: number;
}
/**
 * Body of the callbacks document.saved and document.closed.
 */
export interface DocumentCallback {
  /**
   * `saved`: there is a new version; `closed`: everybody has left.
   */
  status: 'saved' | 'closed';
  /**
   * The configured document.key.
   */
  key: string;
  /**
   * From 1; for `closed` the last version, 0 if nothing was ever saved.
   */
  version: number;
  /**
   * Signed download address of that version; null for `closed` with version 0.
   */
  url: string | null;
  fileType: string;
  title: string;
  /**
   * Bytes.
   */
  size: number;
  sha256: string;
  /**
   * People who had it open when this was sent; empty for `closed`.
   */
  users: EmbedUser[];
  /**
   * Owner of the session that caused the save; null for `closed`.
   */
  savedBy: EmbedUser | null;
  /**
   * Made by the editor by itself.
   */
  autosave: boolean;
  /**
   * Made when the last person left; `closed` follows.
   */
  final: boolean;
  /**
   * A person changed something since the previous save.
   */
  modifiedByUser: boolean;
  /**
   * Time of sending: of the first attempt, since all have the same body.
   */
  timestamp: string;
}
/**
 * A person with a document open.
 */
export interface EmbedUser {
  id: string;
  name: string;
}
/**
 * Body of POST /svc/embed/session, without `events`. Members that are not known are ignored: the browser library has some of its own.
 */
export interface EmbedConfig {
  document?: EmbedDocument;
  editor?: EmbedEditor;
  ui?: EmbedUi;
  /**
   * HS256 JWT whose payload is the configuration itself; when valid it replaces document, editor and ui.
   */
  token?: string;
  [k: string]: unknown;
}
export interface EmbedDocument {
  /**
   * Address the server (not the browser) downloads the source file from; subject to the outbound URL rules.
   */
  url: string;
  /**
   * Display name of the document; `<key>.<fileType>` without it.
   */
  title?: string;
  /**
   * Extension of the file: docx, doc, odt, rtf, txt, xlsx, xls, ods, csv, pptx, ppt or odp; any other is `unsupported_file_type`.
   */
  fileType: string;
  /**
   * 1 to 128 letters (A-Z, a-z), digits, `.`, `_` or `-`. Groups co-editors of one document version; echoed in callbacks.
   */
  key: string;
  [k: string]: unknown;
}
export interface EmbedEditor {
  /**
   * How the document is opened. Whoever has the session can switch it: see `readOnly`.
   */
  mode?: 'edit' | 'view';
  /**
   * Whoever has the session may never change the document: it is opened in mode `view` and stays so.
   */
  readOnly?: boolean;
  /**
   * Language of the editor's interface.
   */
  lang?: string;
  /**
   * Who edits; a guest without it.
   */
  user?: {
    /**
     * Who it is in the portal.
     */
    id: string;
    /**
     * Name that others see.
     */
    name: string;
    [k: string]: unknown;
  };
  /**
   * Address that receives save callbacks; subject to the outbound URL rules.
   */
  callbackUrl?: string;
  [k: string]: unknown;
}
export interface EmbedUi {
  /**
   * Style of the toolbar.
   */
  toolbar?: 'tabbed' | 'classic' | 'compact';
  /**
   * Show a close button in the editor.
   */
  closeButton?: boolean;
  /**
   * Allow printing.
   */
  print?: boolean;
  /**
   * Allow export and download.
   */
  export?: boolean;
  /**
   * Allow copying out of the document.
   */
  copy?: boolean;
  /**
   * Show who else is there.
   */
  userList?: boolean;
  /**
   * Show the side bar.
   */
  sidebar?: boolean;
  /**
   * Show the status bar.
   */
  statusBar?: boolean;
  /**
   * Show the ruler.
   */
  ruler?: boolean;
  [k: string]: unknown;
}
/**
 * Body of POST /svc/embed/session/{session_id}/mode.
 */
export interface EmbedModeRequest {
  /**
   * The mode wanted.
   */
  mode: 'edit' | 'view';
}
/**
 * State of an embed session and its document.
 */
export interface EmbedSessionState {
  session_id: string;
  key: string;
  doc_id: string;
  /**
   * Mode of the session.
   */
  mode: 'edit' | 'view';
  state: 'active' | 'closed' | 'expired';
  /**
   * Current version; 0 is the original.
   */
  version: number;
  /**
   * The document has changes that are not saved.
   */
  modified: boolean;
  /**
   * Last save; null before the first.
   */
  saved_at: string | null;
  /**
   * Bytes of the current version.
   */
  size: number;
  sha256: string;
  /**
   * Signed address of the current version.
   */
  download_url: string;
  /**
   * People with the document open.
   */
  users: EmbedUser[];
  /**
   * The last save that the browser library asked for and that is stored; with `nonce` in the query that one, once it is stored.
   */
  save: EmbedSave | null;
}
export interface EmbedSave {
  /**
   * What it was asked for with.
   */
  nonce: string;
  /**
   * The version it made.
   */
  version: number;
}
/**
 * An embed session, as its creation and a change of mode answer it.
 */
export interface EmbedSession {
  session_id: string;
  key: string;
  doc_id: string;
  /**
   * What was granted.
   */
  mode: 'edit' | 'view';
  /**
   * What was asked for.
   */
  requested_mode: 'edit' | 'view';
  /**
   * The request was downgraded by the connection cap.
   */
  limited: boolean;
  /**
   * null when not downgraded.
   */
  limit: EmbedLimit | null;
  /**
   * A sentence for the user; null when not downgraded.
   */
  message: string | null;
  /**
   * Editor page, to be joined with the server's origin.
   */
  editor_url: string;
  form: EmbedForm;
  /**
   * Current version; 0 is the original.
   */
  version: number;
  /**
   * Expiry of the token.
   */
  expires_at: string;
}
export interface EmbedLimit {
  code: 'connection_limit_reached';
  /**
   * Editing connections allowed.
   */
  limit: number;
  /**
   * Editing connections counted.
   */
  current: number;
  /**
   * Admitted and not seen yet.
   */
  pending: number;
}
/**
 * Fields to POST into the iframe. Never put them into a URL.
 */
export interface EmbedForm {
  access_token: string;
  /**
   * Expiry of the token, epoch milliseconds.
   */
  access_token_ttl: number;
  ui_defaults: string;
}
/**
 * Every error of the gate and of DocBuilder. Branch on `code`; for an unknown code fall back to the HTTP status class.
 */
export interface ErrorResponse {
  error: {
    /**
     * Stable machine-readable code.
     */
    code: string;
    /**
     * A Vietnamese sentence; its wording may change.
     */
    message: string;
    /**
     * Facts to act on; never document content.
     */
    detail: {};
    /**
     * Equal to the header X-SVC-Request-Id.
     */
    request_id: string;
  };
}
/**
 * What is known about a document. What it does not say, or what makes no sense for its family, is null.
 */
export interface ExtractedMeta {
  /**
   * What the file is by its content, such as `docx`.
   */
  format: string;
  family: 'text' | 'sheet' | 'slides';
  /**
   * Bytes of the file.
   */
  size: number;
  /**
   * Whether it needs a password.
   */
  encrypted: boolean;
  macros: boolean;
  /**
   * The program that wrote the file, where the file says it and can be read without a password.
   */
  generator: string | null;
  title: string | null;
  subject: string | null;
  /**
   * Who made the document first.
   */
  author: string | null;
  /**
   * Who saved it last.
   */
  last_author: string | null;
  keywords: string[];
  description: string | null;
  /**
   * ISO 8601. In UTC, with `Z`, of Word, Excel and PowerPoint files; without offset where the file has none, as most OpenDocument ones.
   */
  created_at: string | null;
  /**
   * As created_at.
   */
  modified_at: string | null;
  /**
   * As created_at.
   */
  printed_at: string | null;
  /**
   * BCP 47 tag of the language that most of the text is marked as, such as `vi-VN`.
   */
  language: string | null;
  /**
   * Of a text document.
   */
  pages: number | null;
  /**
   * null for spreadsheets.
   */
  words: number | null;
  /**
   * With spaces. null for spreadsheets.
   */
  characters: number | null;
  /**
   * With text. null for spreadsheets.
   */
  paragraphs: number | null;
  /**
   * Hidden ones too. null for others.
   */
  sheets: number | null;
  /**
   * Hidden ones too. null for others.
   */
  slides: number | null;
  /**
   * null for spreadsheets.
   */
  tables: number | null;
  /**
   * Places where a picture is shown.
   */
  images: number;
  /**
   * Fonts that text of the document asks for, most used first.
   */
  fonts: {
    name: string;
    /**
     * Whether the server lacks it and draws another.
     */
    substituted: boolean;
    /**
     * The font drawn instead; null where none is needed or none is known.
     */
    replacement: string | null;
  }[];
}
/**
 * The text of a document, whole and in parts. Tables are rows of tab-separated cells, one row a line; a tab or line feed inside a cell is a space. Hidden text, deleted text and soft hyphens are left out; fields are as displayed.
 */
export interface ExtractedText {
  family: 'text' | 'sheet' | 'slides';
  /**
   * Whether there was more text than was asked for.
   */
  truncated: boolean;
  /**
   * All parts with an empty line between them, sheets and slides under their names, speaker notes and comments after the text that they belong to. The same as the text/plain answer.
   */
  text: string;
  /**
   * In reading order. A text document: headers, body, footnotes, endnotes, footers, each different header and footer once. A spreadsheet: its sheets, then headers and footers of the printed pages. A presentation: its slides, then footers.
   */
  parts: {
    kind: 'header' | 'body' | 'footnotes' | 'endnotes' | 'footer' | 'sheet' | 'slide';
    /**
     * A sheet's name; a slide's title, else its name, else `Slide 3`. null for other kinds.
     */
    name: string | null;
    /**
     * A hidden sheet or slide.
     */
    hidden: boolean;
    /**
     * A paragraph, list item or row is a line. Lines of a sheet are its rows, empty ones too, as far as there is text. A footnote is a line that begins with its mark, such as `[1]`, which also stands where the note is referred to.
     */
    text: string;
    /**
     * A slide's speaker notes; else empty.
     */
    notes: string;
    comments: {
      author: string | null;
      /**
       * Such as `B7`; null outside of sheets.
       */
      cell: string | null;
      text: string;
    }[];
  }[];
}
/**
 * The conversion matrix: what each source format can become.
 */
export interface Formats {
  formats: {
    format: string;
    family: 'text' | 'sheet' | 'slides';
    content_type: string;
    /**
     * Targets of POST /v1/convert.
     */
    to: string[];
  }[];
}
/**
 * Environment of the gate. A variable marked secret may instead be given as NAME_FILE, the path of a file that holds the value.
 */
export interface GateConfig {
  /**
   * Address and port of the public side, such as 127.0.0.1:8080.
   */
  SVC_GATE_LISTEN: string;
  /**
   * Address and port of the side that only front and editor reach (/svc/auth and /svc/wopi/), such as 127.0.0.1:8081.
   */
  SVC_GATE_INTERNAL_LISTEN: string;
  /**
   * Public address of the service, for download links, such as https://office.example. Default: the Host of the request, with https where the edge says so in X-Forwarded-Proto. Needed where an edge changes Host, or ends TLS and sends anything else than that one word, and wherever clients may send any Host: links in callbacks have that of whoever opened the document.
   */
  SVC_BASE_URL?: string;
  /**
   * Absolute path of the folder for documents, versions and the outbox. One running gate.
   */
  SVC_GATE_DATA_DIR: string;
  /**
   * Address under which the editor reaches the internal side, such as http://gate:8081.
   */
  SVC_GATE_WOPI_URL: string;
  /**
   * Address under which the gate reaches the editor server (discovery and admin channel), such as http://editor:9980.
   */
  SVC_ONLINE_URL: string;
  /**
   * User of the editor's admin console.
   */
  SVC_ONLINE_ADMIN_USER: string;
  /**
   * Password of the editor's admin console.
   */
  SVC_ONLINE_ADMIN_PASSWORD: string;
  /**
   * Lowers the number of editing connections; never raises it.
   */
  SVC_GATE_CONNECTION_CAP?: number;
  /**
   * Whether documents can be embedded at all.
   */
  SVC_EMBED_ENABLED: boolean;
  /**
   * Configurations must come as HS256 JWTs signed with this secret of at least 32 characters.
   */
  SVC_EMBED_JWT_SECRET: string;
  /**
   * Still accepted while the secret is rotated.
   */
  SVC_EMBED_JWT_SECRET_PREVIOUS: string;
  /**
   * Without a secret: take configurations that nobody signed. For development.
   */
  SVC_EMBED_ALLOW_UNSIGNED: boolean;
  /**
   * Origins of pages that may embed, separated by commas, or `*`.
   */
  SVC_EMBED_ALLOWED_ORIGINS: string;
  /**
   * Largest document.
   */
  SVC_EMBED_MAX_FILE_MB: number;
  /**
   * Life of a session.
   */
  SVC_EMBED_SESSION_TTL_MINUTES: number;
  /**
   * How long a closed document, its versions and their download links stay.
   */
  SVC_EMBED_RETAIN_HOURS: number;
  /**
   * Signs save callbacks. Empty: they are unsigned.
   */
  SVC_EMBED_CALLBACK_SECRET: string;
  /**
   * Signs download links. Empty: a secret of its own is made and kept in the data folder.
   */
  SVC_EMBED_LINK_SECRET: string;
  /**
   * Absolute path of the file with the licence token. Watched: a new token counts at once. Absent: Community.
   */
  SVC_LICENSE_FILE?: string;
  /**
   * Absolute path of the JWK Set with the public keys that licences are verified against.
   */
  SVC_LICENSE_KEYS_FILE?: string;
  /**
   * Comma-separated host names, IP addresses and CIDRs, each with an optional :port, that outbound requests may reach although they are internal, or known to /etc/hosts or a search domain only.
   */
  SVC_FETCH_ALLOW_HOSTS: string;
  /**
   * Least level that is logged.
   */
  SVC_LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /**
   * Where the audit trail goes: off, stdout, file:/path (an absolute one) or an http(s) address that takes JSON.
   */
  SVC_AUDIT_TARGET: string;
  /**
   * 1: the demo under /svc/demo, for everybody who reaches the service.
   */
  SVC_DEV_MODE: boolean;
}
/**
 * Limits of the edition in force.
 */
export interface GateLimits {
  edition: 'community' | 'enterprise';
  connections: {
    /**
     * Editing connections in force.
     */
    limit: number;
    /**
     * What the plan allows.
     */
    plan_limit: number;
    /**
     * SVC_GATE_CONNECTION_CAP where it lowers the plan; else null.
     */
    cap: number | null;
    /**
     * Connections that an order has at least.
     */
    min_per_order: number;
  };
  whitelabel: boolean;
  whitelabel_note: string | null;
  features: string[];
  editor_embed: {
    enabled: boolean;
    save_callback: boolean;
    max_file_mb: number;
    session_ttl_minutes: number;
  };
  docbuilder: {
    allowed_endpoints: string[];
    rate_per_minute: number;
    /**
     * null: unlimited.
     */
    rate_per_day: number | null;
    /**
     * null in Enterprise: see GET /v1/limits.
     */
    parallel_jobs: number | null;
    max_queued_jobs: number;
    max_file_mb: number;
    result_ttl_minutes: number;
    sync_timeout_seconds: number;
    job_timeout_seconds: number;
    async: boolean;
    callback: boolean;
    max_script_units: number;
    max_outputs_per_build: number;
  };
  counting: {
    sample_interval_seconds: number;
    peak_window_seconds: number;
    reconnect_grace_seconds: number;
  };
}
/**
 * State of the gate.
 */
export interface GateStatus {
  upstream: {
    /**
     * `down`: unreachable; `auth_failed`: the admin password is wrong.
     */
    editor_server: 'ok' | 'down' | 'auth_failed';
  };
  connections: {
    /**
     * Editing connections counted, those that may come back included.
     */
    current: number;
    /**
     * Admitted and not seen yet.
     */
    pending: number;
    peak_5m: number;
    limit: number;
    /**
     * Views that may not edit.
     */
    readonly: number;
    /**
     * All views that the editor lists.
     */
    views_total: number;
    /**
     * Documents that the editor has open.
     */
    documents: number;
    limit_reached: boolean;
    /**
     * Whether the cap is enforced: not while there is no sample to count by.
     */
    enforcing: boolean;
    /**
     * null before the first sample.
     */
    sample_age_seconds: number | null;
  };
  license: {
    state: 'none' | 'valid' | 'grace' | 'expired' | 'invalid';
    grace_days_left: number | null;
  };
  embed: {
    open_documents: number;
    sessions: number;
    callback_signing: boolean;
    callbacks: {
      pending: number;
      /**
       * The last callbacks that nobody took, newest first. Anybody may ask, so the document's key is told in the log and the audit trail only, under the same `delivery`.
       */
      given_up: {
        delivery: string;
        event: string;
        doc_id: string;
        version: number;
        at: string;
        last_status: number | null;
      }[];
    };
  };
}
/**
 * Delivery of the completion callback.
 */
export interface JobCallbackState {
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /**
   * HTTP status of the last attempt; null when there was no answer.
   */
  last_status: number | null;
  next_attempt_at: string | null;
}
/**
 * Body of the callback that DocBuilder sends when a job ends.
 */
export interface JobCallback {
  event: 'job.done' | 'job.failed';
  job: Job;
}
/**
 * A unit of work and what came of it.
 */
export interface Job {
  id: string;
  kind: 'convert' | 'build' | 'render' | 'text' | 'meta' | 'thumbnail';
  status: 'queued' | 'running' | 'done' | 'failed';
  created_at: string;
  /**
   * null while queued.
   */
  started_at: string | null;
  /**
   * null until done or failed.
   */
  finished_at: string | null;
  /**
   * When the job and its files are removed; null until done or failed.
   */
  expires_at: string | null;
  outputs: Output[];
  error: JobError | null;
  /**
   * null when no callback_url was given.
   */
  callback: JobCallbackState | null;
}
/**
 * A result file of a job.
 */
export interface Output {
  file_id: string;
  /**
   * Download address; needs the Authorization header.
   */
  url: string;
  filename: string;
  format: string;
  content_type: string;
  /**
   * Bytes.
   */
  size: number;
  sha256: string;
  /**
   * Pages of a PDF or text document, sheets of a spreadsheet, slides of a presentation; 0 for a template filled as docx, which is not laid out.
   */
  pages: number;
  expires_at: string;
}
/**
 * Why a job failed: the error object without request_id.
 */
export interface JobError {
  code: string;
  message: string;
  detail: {};
}
/**
 * POST /v1/extract/meta: multipart with `file`, or JSON with `url`.
 */
export interface MetaRequest {
  /**
   * The source file; multipart only.
   */
  file?: string;
  /**
   * Address the server downloads the source from; subject to the outbound URL rules. JSON only.
   */
  url?: string;
  /**
   * Source format, for files whose name has no extension.
   */
  from?: string;
  /**
   * Opens a protected source.
   */
  password?: string;
  /**
   * Answer 202 with the job at once.
   */
  async?: boolean;
  /**
   * Told when the job ends. Enterprise, with `async`.
   */
  callback_url?: string;
}
/**
 * POST /v1/template/render: multipart with `template` (a file) and `data` (a JSON file or field), or JSON with `url` and `data`.
 */
export interface RenderRequest {
  /**
   * The template, docx, dotx, odt or ott; multipart only.
   */
  template?: string;
  /**
   * Address the server downloads the template from; subject to the outbound URL rules. JSON only.
   */
  url?: string;
  /**
   * What the tags of the template stand for.
   */
  data: {};
  /**
   * Format of the result: docx or any other of the text family, for example `pdf`.
   */
  to?: string;
  options?: RenderOptions;
  /**
   * Answer 202 with the job at once.
   */
  async?: boolean;
  /**
   * Told when the job ends. Enterprise, with `async`.
   */
  callback_url?: string;
}
export interface RenderOptions {
  /**
   * What a field without a value becomes: nothing, or a `template_error` that lists all of them.
   */
  missing?: 'empty' | 'error';
}
/**
 * POST /v1/extract/text: multipart with `file`, or JSON with `url`.
 */
export interface TextRequest {
  /**
   * The source file; multipart only.
   */
  file?: string;
  /**
   * Address the server downloads the source from; subject to the outbound URL rules. JSON only.
   */
  url?: string;
  /**
   * Source format, for files whose name has no extension.
   */
  from?: string;
  /**
   * Opens a protected source.
   */
  password?: string;
  /**
   * `json` (default) or plain `text`; `Accept: text/plain` asks for text as well.
   */
  format?: 'json' | 'text';
  /**
   * Answer 202 with the job at once.
   */
  async?: boolean;
  /**
   * Told when the job ends. Enterprise, with `async`.
   */
  callback_url?: string;
}
/**
 * POST /v1/extract/thumbnail: multipart with `file`, or JSON with `url`. The picture fits into `width` by `height` and keeps the page's proportions.
 */
export interface ThumbnailRequest {
  /**
   * The source file; multipart only.
   */
  file?: string;
  /**
   * Address the server downloads the source from; subject to the outbound URL rules. JSON only.
   */
  url?: string;
  /**
   * Source format, for files whose name has no extension.
   */
  from?: string;
  /**
   * Opens a protected source.
   */
  password?: string;
  /**
   * Format of the picture.
   */
  format?: 'png' | 'jpeg' | 'webp';
  /**
   * Page, printed sheet page or slide, counted from 1.
   */
  page?: number;
  /**
   * Largest width in pixels; 320 when neither is given.
   */
  width?: number;
  /**
   * Largest height in pixels; 320 when neither is given.
   */
  height?: number;
  /**
   * Answer 202 with the job at once.
   */
  async?: boolean;
  /**
   * Told when the job ends. Enterprise, with `async`.
   */
  callback_url?: string;
}
/**
 * What an instance shall be. Only `host` is required.
 */
export interface SvcInstanceSpec {
  /**
   * Public DNS name of the service, in lower case, without scheme, port and path.
   */
  host: string;
  /**
   * Public port, where it is not the scheme's own (443, or 80 with tls.mode Disabled).
   */
  port?: number;
  /**
   * How people reach the service: by https or http.
   */
  tls: {
    /**
     * Edge: addresses are https, and TLS ends before the front, at the Ingress, the Gateway or a load balancer. Disabled: addresses are http.
     */
    mode: 'Edge' | 'Disabled';
    /**
     * Secret of type kubernetes.io/tls in the instance's namespace, named in the Ingress. Absent: the edge's own certificate.
     */
    secretName?: string;
  };
  /**
   * Licence of the Enterprise edition. Absent: Community. Setting, renewing and removing it restarts neither gate nor editor.
   */
  license?: {
    /**
     * Secret in the instance's namespace that holds the licence token.
     */
    secretName: string;
    /**
     * Key of the Secret whose value is the token.
     */
    key: string;
  };
  /**
   * What is made at the edge of the cluster, and who asks the gate before an editor opens.
   */
  ingress: {
    /**
     * Who asks the gate whether one more editor may open. AuthUrl: ingress-nginx, by its auth-url annotation. Front: the front alone, behind any edge. None: the front alone, and no edge object is made, for an edge of your own.
     */
    gating: 'AuthUrl' | 'Front' | 'None';
    /**
     * What is made at the edge: an Ingress, or a Gateway API HTTPRoute (with gating Front).
     */
    kind: 'Ingress' | 'HTTPRoute';
    /**
     * IngressClass of the Ingress. Absent: `nginx` with gating AuthUrl, otherwise the cluster's default class.
     */
    className?: string;
    /**
     * Further annotations of the Ingress or HTTPRoute. Those that the controller sets itself win.
     */
    annotations: {
      /**
       * Value of the annotation.
       */
      [k: string]: string;
    };
    /**
     * Gateway that the HTTPRoute attaches to. Required with kind HTTPRoute.
     */
    gateway?: {
      /**
       * Name of the Gateway.
       */
      name: string;
      /**
       * Namespace of the Gateway. Absent: the instance's own.
       */
      namespace?: string;
      /**
       * Listener of the Gateway. Absent: all that match.
       */
      sectionName?: string;
    };
    /**
     * Pods of the ingress controller. With gating AuthUrl only they reach the front's ports behind the question.
     */
    controller: {
      /**
       * Namespace of the ingress controller.
       */
      namespace: string;
      /**
       * Labels of the ingress controller's pods.
       */
      podLabels: {
        /**
         * Value of the label.
         */
        [k: string]: string;
      };
    };
  };
  /**
   * Embedding of the editor into pages of your own.
   */
  embed: {
    /**
     * Whether documents can be embedded at all.
     */
    enabled: boolean;
    /**
     * Origins of pages that may embed, or exactly `*`. Empty: none.
     *
     * Items: Origin as browsers send it, such as https://portal.example.com, or `*` for all.
     */
    allowedOrigins: string[];
    /**
     * Take configurations that nobody signed: anybody who reaches the service can embed. For development. No signing secret is made then; one that is given still counts.
     */
    allowUnsigned: boolean;
    /**
     * Largest document, MB.
     */
    maxFileMb: number;
    /**
     * Life of a session, minutes.
     */
    sessionTtlMinutes: number;
    /**
     * How long a closed document, its versions and their download links stay, hours.
     */
    retainHours: number;
  };
  /**
   * The gate: embedding, saves, callbacks and the limit of editing connections.
   */
  gate: {
    /**
     * Lowers the number of editing connections; never raises it. Absent: what the edition allows.
     */
    connectionCap?: number;
    pod: PodOverrides;
  };
  /**
   * DocBuilder: the REST API that converts, builds and reads documents.
   */
  docbuilder: {
    /**
     * Engine workers, 1 to 32, each of which does one job at a time. `auto`: one in Community, one for every 50 connections of the licence (2 to 32) in Enterprise. CPU, memory and shared memory follow from it.
     */
    workers: 'auto' | number;
    /**
     * Jobs after which a worker is recycled.
     */
    workerMaxJobs: number;
    /**
     * Age at which a worker is recycled, minutes.
     */
    workerMaxAgeMinutes: number;
    /**
     * Memory that a worker may use before its job is stopped, MB.
     */
    workerMemoryMb: number;
    /**
     * Lowers the edition's largest input or output file, MB.
     */
    maxFileMb?: number;
    /**
     * Lowers the edition's longest job, seconds. A stopping pod is given as long to finish its jobs.
     */
    jobTimeoutSeconds?: number;
    /**
     * What confines the workers. Auto: user namespaces, else Landlock with seccomp, else DocBuilder refuses to start.
     */
    sandbox: 'Auto' | 'Namespaces' | 'Landlock' | 'Off';
    pod: PodOverrides;
  };
  /**
   * The editor server, Collabora Online.
   */
  editor: {
    /**
     * Image of the editor server. Absent: the controller's own default.
     */
    image?: string;
    /**
     * Secret with the keys `username` and `password` of the editor's admin console. Absent: both are made once and kept.
     */
    adminSecretName?: string;
    /**
     * Further settings of the editor server, such as `--o:logging.level=warning`. What the controller sets itself cannot be set here.
     *
     * Items: One setting, `--o:section.name=value`.
     */
    extraParams: string[];
    /**
     * Languages whose spelling dictionaries are loaded. Empty: those of the image.
     *
     * Items: Language code, such as vi_VN.
     */
    dictionaries: string[];
    pod: PodOverrides;
  };
  /**
   * The front: the nginx that every request passes.
   */
  front: {
    /**
     * Pods of the front.
     */
    replicas: number;
    /**
     * The front's Service, to which the edge connects.
     */
    service: {
      /**
       * Type of the Service. NodePort and LoadBalancer are for an edge outside of the cluster.
       */
      type: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
      /**
       * Annotations of the Service.
       */
      annotations: {
        /**
         * Value of the annotation.
         */
        [k: string]: string;
      };
      /**
       * Port on each node, with type NodePort or LoadBalancer. Absent: the cluster picks one.
       */
      nodePort?: number;
    };
    pod: PodOverrides;
  };
  /**
   * Volumes. They are kept while the instance exists.
   */
  storage: {
    /**
     * StorageClass of all volumes. Absent: the cluster's default class. Cannot change.
     */
    className?: string;
    /**
     * Volume of the gate: documents, versions and callbacks that are still to be sent.
     */
    gate: {
      /**
       * Size of the volume; it can grow.
       */
      size: string;
    };
    /**
     * Volume of DocBuilder: uploads and results.
     */
    docbuilder: {
      /**
       * Size of the volume; it can grow.
       */
      size: string;
    };
    /**
     * Volume of the editor: edits that could not be saved (quarantine).
     */
    editor: {
      /**
       * Size of the volume; it can grow.
       */
      size: string;
    };
  };
  /**
   * Keys and secrets that you give. What is not given is made once and kept in the Secret `<instance>-secrets`.
   */
  secrets?: {
    /**
     * Secret with any of the keys docbuilder-api-keys, docbuilder-jwt-secret, docbuilder-callback-secret, embed-jwt-secret, embed-jwt-secret-previous, embed-callback-secret, embed-link-secret.
     */
    secretName: string;
  };
  /**
   * What the services may reach outside: documents by URL, callbacks, pictures. Public addresses always.
   */
  outbound: {
    /**
     * Internal hosts that outbound requests may reach although they are internal.
     *
     * Items: Host name, IP address or CIDR with an optional :port, such as portal.internal:8443 or 10.20.0.0/16.
     */
    allowHosts: string[];
  };
  /**
   * Images of the product's own components. Absent ones are the controller's defaults; editor.image has the editor's.
   */
  images: {
    /**
     * Image of the gate.
     */
    gate?: string;
    /**
     * Image of DocBuilder.
     */
    docbuilder?: string;
    /**
     * Image of the front.
     */
    front?: string;
    /**
     * When images are pulled, of all components.
     */
    pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
    /**
     * Secrets for private registries, of type kubernetes.io/dockerconfigjson.
     *
     * Items: A Secret for a registry.
     */
    pullSecrets: {
      /**
       * Name of the Secret.
       */
      name: string;
    }[];
  };
  /**
   * Least level that gate and DocBuilder log.
   */
  logLevel: 'Trace' | 'Debug' | 'Info' | 'Warn' | 'Error' | 'Fatal';
  /**
   * Where the audit trail goes: `off`, `stdout`, `file:/path` or an http(s) address that takes JSON.
   */
  auditTarget: string;
  /**
   * Demo page and demo receiver of callbacks, for developers. Never for real documents.
   */
  devMode: boolean;
}
/**
 * What of a pod may be overridden. Absent members are as the controller has them.
 */
export interface PodOverrides {
  /**
   * Requests and limits of the main container. Given, they replace the controller's as a whole.
   */
  resources?: {
    /**
     * What the node must have free.
     */
    requests?: {
      /**
       * Quantity, such as 500m, 2 or 1Gi.
       */
      [k: string]: string;
    };
    /**
     * What the container may use at most.
     */
    limits?: {
      /**
       * Quantity, such as 500m, 2 or 1Gi.
       */
      [k: string]: string;
    };
  };
  /**
   * Labels of nodes that the pod may run on.
   */
  nodeSelector?: {
    /**
     * Value of the label.
     */
    [k: string]: string;
  };
  /**
   * Taints that the pod tolerates.
   *
   * Items: A taint that the pod tolerates.
   */
  tolerations?: {
    /**
     * Key of the taint. Absent, with operator Exists: all.
     */
    key?: string;
    /**
     * Equal compares the value, Exists does not. Absent: Equal.
     */
    operator?: 'Exists' | 'Equal';
    /**
     * Value of the taint.
     */
    value?: string;
    /**
     * Effect of the taint. Absent: all.
     */
    effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
    /**
     * How long the pod stays after a taint NoExecute, seconds. Absent: for ever.
     */
    tolerationSeconds?: number;
  }[];
  /**
   * Affinity, as in a PodSpec. Given, it replaces the controller's as a whole.
   */
  affinity?: {
    /**
     * As in a PodSpec.
     */
    nodeAffinity?: {
      [k: string]: unknown;
    };
    /**
     * As in a PodSpec.
     */
    podAffinity?: {
      [k: string]: unknown;
    };
    /**
     * As in a PodSpec.
     */
    podAntiAffinity?: {
      [k: string]: unknown;
    };
  };
  /**
   * PriorityClass of the pod.
   */
  priorityClassName?: string;
  /**
   * Further annotations of the pod.
   */
  annotations?: {
    /**
     * Value of the annotation.
     */
    [k: string]: string;
  };
  /**
   * Further labels of the pod. Those that the controller sets itself win.
   */
  labels?: {
    /**
     * Value of the label.
     */
    [k: string]: string;
  };
}
/**
 * What was found. Written by the controller alone.
 */
export interface SvcInstanceStatus {
  /**
   * metadata.generation of the spec that this status is about; -1 before a controller has looked.
   */
  observedGeneration?: number;
  /**
   * metadata.generation of the spec that was last applied as a whole. While the instance is paused, Ready is about that one alone.
   */
  appliedGeneration?: number;
  /**
   * Value of the annotation svc.internal/reconcile-at that was last acted on.
   */
  lastHandledReconcileAt?: string;
  /**
   * Hash of all objects of the instance, as they were when they were last found to be as wanted. A controller that starts takes those that are still so for settled.
   */
  agreement?: string;
  /**
   * Ready, GateAvailable, DocBuilderAvailable, EditorAvailable, FrontAvailable, LicenseValid and Paused; Reconciling and Stalled only while they are True.
   */
  conditions?: Condition[];
  /**
   * Edition in force.
   */
  edition?: 'Community' | 'Enterprise';
  /**
   * Public address of the service.
   */
  baseUrl?: string;
  /**
   * Version of the product.
   */
  version?: string;
  /**
   * The licence in force.
   */
  license?: {
    /**
     * None: no licence was given. Valid: it counts. Grace: expired or removed less than 30 days ago, and still counts. Expired and Invalid: it does not count.
     */
    state: 'None' | 'Valid' | 'Grace' | 'Expired' | 'Invalid';
    /**
     * Whom the licence was made out to.
     */
    subject?: string;
    /**
     * When the licence expires.
     */
    expiresAt?: string;
    /**
     * Days for which an expired or removed licence still counts.
     */
    graceDaysLeft?: number;
    /**
     * Editing connections of the licence.
     */
    connections?: number;
    /**
     * Features of the licence.
     *
     * Items: Name of a feature.
     */
    features?: string[];
  };
  /**
   * Figures in force, after what the spec lowers. An absent one is unlimited.
   */
  plan?: {
    /**
     * Editing connections at the same time.
     */
    connections: number;
    /**
     * Counted DocBuilder requests per minute.
     */
    ratePerMinute?: number;
    /**
     * Counted DocBuilder requests per day. Absent: unlimited.
     */
    ratePerDay?: number;
    /**
     * Jobs at the same time.
     */
    parallelJobs?: number;
    /**
     * Jobs that may wait.
     */
    maxQueuedJobs?: number;
    /**
     * Largest input or output file of a job, MB.
     */
    maxFileMb?: number;
    /**
     * How long results stay, minutes.
     */
    resultTtlMinutes?: number;
    /**
     * Longest synchronous request, seconds.
     */
    syncTimeoutSeconds?: number;
    /**
     * Longest job, seconds.
     */
    jobTimeoutSeconds?: number;
    /**
     * Largest script, units.
     */
    maxScriptUnits?: number;
    /**
     * Outputs of one build.
     */
    maxOutputsPerBuild?: number;
    /**
     * Whether jobs may be asynchronous.
     */
    async?: boolean;
    /**
     * Whether jobs may be reported by callback.
     */
    callback?: boolean;
  };
  /**
   * Size of DocBuilder, as it follows from plan and spec.
   */
  docbuilder?: {
    /**
     * Engine workers.
     */
    workers?: number;
    /**
     * CPU limit.
     */
    cpu?: string;
    /**
     * Memory limit.
     */
    memory?: string;
    /**
     * Size of /dev/shm.
     */
    sharedMemory?: string;
    /**
     * What a stopping pod is given to finish its jobs, seconds.
     */
    gracePeriodSeconds?: number;
    /**
     * How the figures come about, in one sentence.
     */
    formula?: string;
  };
  /**
   * Pods of each component.
   */
  replicas?: {
    gate?: ReplicaStatus;
    docbuilder?: ReplicaStatus;
    editor?: ReplicaStatus;
    front?: ReplicaStatus;
  };
  /**
   * Images in use.
   */
  images?: {
    /**
     * Image of the gate.
     */
    gate?: string;
    /**
     * Image of DocBuilder.
     */
    docbuilder?: string;
    /**
     * Image of the editor.
     */
    editor?: string;
    /**
     * Image of the front.
     */
    front?: string;
  };
}
/**
 * One aspect of the state, as metav1.Condition.
 */
export interface Condition {
  /**
   * Name of the condition.
   */
  type: string;
  /**
   * Whether it holds.
   */
  status: 'True' | 'False' | 'Unknown';
  /**
   * metadata.generation of the spec that the condition is about.
   */
  observedGeneration?: number;
  /**
   * When the status last changed from one value to another.
   */
  lastTransitionTime: string;
  /**
   * Why, as one word for programs.
   */
  reason: string;
  /**
   * Why, for people.
   */
  message: string;
}
export interface ReplicaStatus {
  /**
   * Pods that there should be.
   */
  desired: number;
  /**
   * Pods that are ready.
   */
  ready: number;
}
