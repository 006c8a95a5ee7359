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
   * URL that receives a callback when the job ends. Enterprise only, with `async`.
   */
  callback_url?: string;
}
/**
 * Environment of the controller. It finds its cluster by the variables that Kubernetes sets in every pod, or by KUBECONFIG outside of a pod.
 */
export interface ControllerConfig {
  /**
   * Namespaces whose SvcInstances it manages, separated by commas. Empty: all.
   */
  SVC_CONTROLLER_NAMESPACES: string;
  /**
   * Address and port of /healthz, /readyz and /status, such as 127.0.0.1:8081. Default: port 8081 of all addresses, by IPv6 where SVC_POD_IP is such an address. The pods of instances listen by the same family.
   */
  SVC_CONTROLLER_LISTEN?: string;
  /**
   * IP address of its own pod. The chart sets it.
   */
  SVC_POD_IP?: string;
  /**
   * Identity in the Lease; must be unique among running controllers. The chart sets the pod's name. Absent: the host name and a random suffix.
   */
  SVC_CONTROLLER_IDENTITY?: string;
  /**
   * 1: work only while holding the Lease, so that only one of several controllers is active. 0: there must be no second one.
   */
  SVC_CONTROLLER_LEADER_ELECTION: boolean;
  /**
   * Namespace of the Lease. Absent: its own.
   */
  SVC_CONTROLLER_LEASE_NAMESPACE?: string;
  /**
   * Name of the Lease. Controllers that manage the same instances must share one; the chart gives each release its own.
   */
  SVC_CONTROLLER_LEASE_NAME: string;
  /**
   * Settings that SvcInstances may have besides those that every one may have: `field=name` separated by commas, such as podLabels=team,secrets=mail-*. The chart makes it from its value `allow`.
   */
  SVC_CONTROLLER_ALLOW: string;
  /**
   * Image of the gate for instances that name none.
   */
  SVC_CONTROLLER_GATE_IMAGE: string;
  /**
   * Image of DocBuilder for instances that name none.
   */
  SVC_CONTROLLER_DOCBUILDER_IMAGE: string;
  /**
   * Image of the editor server for instances that name none.
   */
  SVC_CONTROLLER_EDITOR_IMAGE: string;
  /**
   * Image of the front for instances that name none.
   */
  SVC_CONTROLLER_FRONT_IMAGE: string;
  /**
   * Comma-separated names of Secrets for private registries, for instances that name none. They must exist in the namespaces of the instances.
   */
  SVC_CONTROLLER_PULL_SECRETS: string;
  /**
   * DNS domain of the cluster. Absent: taken from /etc/resolv.conf, otherwise cluster.local.
   */
  SVC_CONTROLLER_CLUSTER_DOMAIN?: string;
  /**
   * Address of the cluster's DNS, with which fronts resolve the service names. Absent: each front takes that of its own /etc/resolv.conf.
   */
  SVC_CONTROLLER_CLUSTER_DNS?: string;
  /**
   * Public keys that licences are verified with: a JWK Set. Absent: every licence is refused. Changes take effect without a restart.
   */
  SVC_LICENSE_KEYS_FILE?: string;
  /**
   * Lowest level that is logged.
   */
  SVC_LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /**
   * Target of the audit trail: off, stdout, file:/path (an absolute one) or an http(s) URL that accepts JSON arrays of events.
   */
  SVC_AUDIT_TARGET: string;
}
/**
 * How to read the source and write the target. An option that does not apply to the pair of formats is an error.
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
   * Reduces pictures to this many dots per inch. Target pdf only.
   */
  image_resolution?: 75 | 150 | 300 | 600 | 1200;
  /**
   * Field separator of a csv source (default: detected) or, if the source is not csv, of a csv target (default `,`).
   */
  delimiter?: string;
  /**
   * Character encoding of a csv or txt source (default: detected) or, if the source is neither, of a csv or txt target (default utf-8), which only the first five can be.
   */
  encoding?:
    | 'utf-8'
    | 'utf-16le'
    | 'utf-16be'
    | 'windows-1258'
    | 'windows-1252'
    | 'shift_jis'
    | 'euc-jp'
    | 'euc-kr'
    | 'big5'
    | 'gb18030'
    | 'koi8-r'
    | 'windows-1251';
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
   * URL that the server downloads the source from; subject to the outbound URL rules. JSON only.
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
   * URL that receives a callback when the job ends. Enterprise only, with `async`.
   */
  callback_url?: string;
}
/**
 * Environment of DocBuilder.
 */
export interface DocbuilderConfig {
  /**
   * Address and port to listen on, such as 127.0.0.1:8080.
   */
  SVC_DOCBUILDER_LISTEN: string;
  /**
   * Public address of the service, for links in job objects, such as https://office.example. Default: the Host of the request, with https if the edge says so in X-Forwarded-Proto. Needed if an edge changes Host, or terminates TLS and sends anything but the word `https` in that header.
   */
  SVC_BASE_URL?: string;
  /**
   * Absolute path of the folder for uploads, worker folders and, without SVC_DATABASE_URL, jobs and results. Each running service needs its own.
   */
  SVC_DOCBUILDER_DATA_DIR: string;
  /**
   * PostgreSQL database, version 14 or later, that several DocBuilders share, such as postgresql://svc:password@db.example/svc?sslmode=verify-full&sslrootcert=/etc/svc/db-ca.crt: jobs, callbacks, rates and keys are in it, beside the gate's tables if it is the same one. `PGHOST`, `PGUSER`, `PGPASSWORD`, `PGDATABASE` and `PGSSLMODE` count where the address says nothing. Needs SVC_S3_BUCKET. Empty: one DocBuilder, with all in its data folder.
   */
  SVC_DATABASE_URL: string;
  /**
   * Bucket of an S3-compatible object store that keeps results, with SVC_DATABASE_URL. It must exist; it may be the gate's.
   */
  SVC_S3_BUCKET?: string;
  /**
   * URL of the object store, such as https://s3.example:9000; its buckets are addressed by path. Absent: AWS. The service reaches it directly, whatever SVC_FETCH_ALLOW_HOSTS, SVC_FETCH_DENY and SVC_FETCH_PROXY say.
   */
  SVC_S3_ENDPOINT?: string;
  /**
   * Region of the bucket.
   */
  SVC_S3_REGION: string;
  /**
   * What the names of all objects begin with, such as office/. Results are below jobs/ behind it. Bucket and prefix belong to one instance.
   */
  SVC_S3_PREFIX: string;
  /**
   * Access key of the object store. Empty: the AWS client's own chain, such as the role of a service account (AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE).
   */
  SVC_S3_ACCESS_KEY_ID: string;
  /**
   * Secret of that access key.
   */
  SVC_S3_SECRET_ACCESS_KEY: string;
  /**
   * IP address at which the other DocBuilders reach this one, at its port, with SVC_DATABASE_URL. Default: the address that it listens on, or else this machine's first one.
   */
  SVC_POD_IP?: string;
  /**
   * Comma-separated list of `name:key` or `key`; a key matches ^[A-Za-z0-9_-]{24,128}$.
   */
  SVC_DOCBUILDER_API_KEYS: string;
  /**
   * Accept HS256 JWTs signed with this secret, of at least 32 characters. Empty: JWTs are not accepted.
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
   * Absolute path of a file with the number of engine workers, which then counts instead. The file is watched: workers are started and ended while the service runs, and jobs that run are finished.
   */
  SVC_DOCBUILDER_WORKERS_FILE?: string;
  /**
   * Jobs after which a worker is recycled.
   */
  SVC_DOCBUILDER_WORKER_MAX_JOBS: number;
  /**
   * Age at which a worker is recycled, minutes.
   */
  SVC_DOCBUILDER_WORKER_MAX_AGE_MINUTES: number;
  /**
   * Memory that a worker may use before its job is stopped, MB.
   */
  SVC_DOCBUILDER_WORKER_MEMORY_MB: number;
  /**
   * Sandbox of the workers. auto: namespaces if available, otherwise Landlock with seccomp, otherwise the service refuses to start.
   */
  SVC_DOCBUILDER_SANDBOX: 'auto' | 'namespaces' | 'landlock' | 'off';
  /**
   * Absolute path of LibreOffice's program folder, if it is not in one of the usual places.
   */
  SVC_DOCBUILDER_OFFICE_DIR?: string;
  /**
   * Lowers the plan's limit for input and output files, MB.
   */
  SVC_DOCBUILDER_MAX_FILE_MB?: number;
  /**
   * Lowers the plan's job timeout, seconds.
   */
  SVC_DOCBUILDER_JOB_TIMEOUT_SECONDS?: number;
  /**
   * Absolute path of the file with the licence token. The file is watched: a new token takes effect within seconds. Absent: Community.
   */
  SVC_LICENSE_FILE?: string;
  /**
   * Absolute path of the JWK Set with the public keys that licences are verified against.
   */
  SVC_LICENSE_KEYS_FILE?: string;
  /**
   * Comma-separated host names, IP addresses and CIDRs, each with an optional :port, that outbound requests may reach although they are internal, or are known only to /etc/hosts or a search domain.
   */
  SVC_FETCH_ALLOW_HOSTS: string;
  /**
   * Comma-separated IP addresses and CIDRs of your own that count as internal although they are public, such as those of pods: outbound requests reach them only if SVC_FETCH_ALLOW_HOSTS lists the name, or an address or a narrower range.
   */
  SVC_FETCH_DENY: string;
  /**
   * HTTP proxy for all outbound requests but those to SVC_FETCH_ALLOW_HOSTS, such as http://proxy.example:3128, with user:password@ if it wants them. It must allow CONNECT to addresses, also to port 80 for http URLs: the service resolves and checks names itself, and tells the proxy an address.
   */
  SVC_FETCH_PROXY: string;
  /**
   * Lowest level that is logged.
   */
  SVC_LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /**
   * Target of the audit trail: off, stdout, file:/path (an absolute one) or an http(s) URL that accepts JSON arrays of events.
   */
  SVC_AUDIT_TARGET: string;
  /**
   * 1: this is a developer's machine, as GET /v1/status then shows.
   */
  SVC_DEV_MODE: boolean;
}
/**
 * Limits in force, after the variables that lower them, and their usage. null means unlimited.
 */
export interface DocbuilderLimits {
  edition: 'community' | 'enterprise';
  limits: {
    rate_per_minute: number;
    rate_per_day: number | null;
    parallel_jobs: number;
    max_queued_jobs: number;
    /**
     * Limit for each input and output file.
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
   * Features of the licence; empty in Community.
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
   * Sandbox of the engine's workers.
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
   * People who had it open when this was sent; empty for a final save and for `closed`.
   */
  users: EmbedUser[];
  /**
   * Owner of the session that caused the save; null for `closed` and for an edit that an administrator restored.
   */
  savedBy: EmbedUser | null;
  /**
   * The editor saved automatically.
   */
  autosave: boolean;
  /**
   * Saved because the last person left; `closed` follows.
   */
  final: boolean;
  /**
   * A person changed something since the previous save.
   */
  modifiedByUser: boolean;
  /**
   * Time at which this attempt was sent.
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
 * Body of POST /svc/embed/session, without `events`. Unknown members are ignored: the browser library has additional ones.
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
/**
 * The document. Required, here or in `token`.
 */
export interface EmbedDocument {
  /**
   * URL that the server (not the browser) downloads the source file from; subject to the outbound URL rules.
   */
  url: string;
  /**
   * Display name of the document. Default: `<key>.<fileType>`.
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
/**
 * Mode, user and language of the editor. Required, here or in `token`; may be empty.
 */
export interface EmbedEditor {
  /**
   * How the document is opened. Whoever has the session can switch it: see `readOnly`.
   */
  mode?: 'edit' | 'view';
  /**
   * The session never edits: it is opened in mode `view` and stays so.
   */
  readOnly?: boolean;
  /**
   * Language of the editor's interface.
   */
  lang?: string;
  /**
   * The user. Absent: a guest.
   */
  user?: {
    /**
     * ID of the user in the portal.
     */
    id: string;
    /**
     * Name that others see.
     */
    name: string;
    [k: string]: unknown;
  };
  /**
   * URL that receives save callbacks; subject to the outbound URL rules.
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
   * Show who else has the document open.
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
   * The document has changes that are not saved, as the editor said when it was last asked: every 10 seconds.
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
   * Signed address of the current version. A session that has ended gets one that has expired.
   */
  download_url: string;
  /**
   * People with the document open, as the editor said when it was last asked.
   */
  users: EmbedUser[];
  /**
   * When the editor last fetched the document; null when the gate does not know, as after its restart. A later time than before a lost connection means that the editor has opened it anew, without changes that were not saved.
   */
  loaded_at: string | null;
  /**
   * The last stored save that the browser library requested; with `nonce` in the query, the save with that nonce once it is stored.
   */
  save: EmbedSave | null;
}
export interface EmbedSave {
  /**
   * The nonce that the save was requested with.
   */
  nonce: string;
  /**
   * The version that it created.
   */
  version: number;
}
/**
 * An embed session: the response to creating one and to changing its mode.
 */
export interface EmbedSession {
  session_id: string;
  key: string;
  doc_id: string;
  /**
   * Mode that was granted.
   */
  mode: 'edit' | 'view';
  /**
   * Mode that was asked for.
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
   * Admitted, but not yet connected.
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
 * Every error of the gate and of DocBuilder. Branch on `code`; for an unknown code, fall back to the HTTP status class.
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
 * Metadata of a document. Members that it does not state, or that do not apply to its family, are null.
 */
export interface ExtractedMeta {
  /**
   * Format of the file by its content, such as `docx`.
   */
  format: string;
  family: 'text' | 'sheet' | 'slides';
  /**
   * Bytes of the file.
   */
  size: number;
  /**
   * true: the file needs a password.
   */
  encrypted: boolean;
  macros: boolean;
  /**
   * The program that wrote the file, if the file names it and can be read without a password.
   */
  generator: string | null;
  title: string | null;
  subject: string | null;
  /**
   * Person who created the document.
   */
  author: string | null;
  /**
   * Person who saved it last.
   */
  last_author: string | null;
  /**
   * The one text that holds all keywords in most formats is parted at its semicolons, or at its commas if it has none.
   */
  keywords: string[];
  description: string | null;
  /**
   * ISO 8601. In UTC, with `Z`, for Word, Excel and PowerPoint files; without offset if the file has none, as in most OpenDocument files.
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
   * Text documents only; null for others.
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
   * Fonts that the text of the document uses, most used first.
   */
  fonts: {
    name: string;
    /**
     * true: the server lacks this font and uses another.
     */
    substituted: boolean;
    /**
     * The font used instead; null if none is needed or known.
     */
    replacement: string | null;
  }[];
}
/**
 * The text of a document, whole and in parts. Tables are rows of tab-separated cells, one row a line; a tab or line feed inside a cell is a space. Everything that the page shows is in it: labels of list items and headings, text of shapes, charts and form controls; text in pictures is not. Hidden text, deleted text that the page does not show and soft hyphens are left out; fields are as displayed.
 */
export interface ExtractedText {
  family: 'text' | 'sheet' | 'slides';
  /**
   * true: the text was cut off.
   */
  truncated: boolean;
  /**
   * All parts with an empty line between them, sheets and slides under their names, speaker notes and comments after the text that they belong to. The same as the text/plain answer.
   */
  text: string;
  /**
   * In reading order. A text document: headers, body, footnotes, endnotes, footers, each different header and footer once. A spreadsheet: its sheets, then headers and footers of the printed pages. A presentation: its slides, then footers, dates and what master pages show, each once.
   */
  parts: {
    kind: 'header' | 'body' | 'footnotes' | 'endnotes' | 'footer' | 'sheet' | 'slide';
    /**
     * A sheet's name; a slide's title, else its name, else `Slide 3`. null for other kinds.
     */
    name: string | null;
    /**
     * A hidden sheet or slide. Of a workbook of hidden sheets only the first is shown, here as in its PDF.
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
 * Environment of the gate.
 */
export interface GateConfig {
  /**
   * Address and port of the public side, such as 127.0.0.1:8080.
   */
  SVC_GATE_LISTEN: string;
  /**
   * Address and port of the internal side, which only front and editor may reach (/svc/auth and /svc/wopi/), such as 127.0.0.1:8081.
   */
  SVC_GATE_INTERNAL_LISTEN: string;
  /**
   * Public address of the service, for download links, such as https://office.example. Default: the Host of the request, with https if the edge says so in X-Forwarded-Proto. Needed if an edge changes Host, or terminates TLS and sends anything but the word `https` in that header, and if clients can send any Host: links in callbacks use the Host sent by whoever opened the document.
   */
  SVC_BASE_URL?: string;
  /**
   * Absolute path of the folder for documents, versions and the outbox. Only one running gate may use it.
   */
  SVC_GATE_DATA_DIR: string;
  /**
   * Bucket of an S3-compatible object store that keeps the documents' bytes. It must exist. Absent: they are files in the data folder.
   */
  SVC_S3_BUCKET?: string;
  /**
   * URL of the object store, such as https://s3.example:9000; its buckets are addressed by path. Absent: AWS. The service reaches it directly, whatever SVC_FETCH_ALLOW_HOSTS, SVC_FETCH_DENY and SVC_FETCH_PROXY say.
   */
  SVC_S3_ENDPOINT?: string;
  /**
   * Region of the bucket.
   */
  SVC_S3_REGION: string;
  /**
   * What the names of all objects begin with, such as office/. Bucket and prefix belong to one instance.
   */
  SVC_S3_PREFIX: string;
  /**
   * Access key of the object store. Empty: the AWS client's own chain, such as the role of a service account (AWS_ROLE_ARN, AWS_WEB_IDENTITY_TOKEN_FILE).
   */
  SVC_S3_ACCESS_KEY_ID: string;
  /**
   * Secret of that access key.
   */
  SVC_S3_SECRET_ACCESS_KEY: string;
  /**
   * Database for documents, versions, sessions and callbacks, instead of the one in the data folder: PostgreSQL 14 or later, such as postgresql://svc:password@db.example/svc?sslmode=verify-full&sslrootcert=/etc/svc/db-ca.crt. `PGHOST`, `PGUSER`, `PGPASSWORD`, `PGDATABASE` and `PGSSLMODE` count where the address says nothing. With SVC_S3_BUCKET any number of gates share it. Without, it is for one gate and its data folder, where the documents' bytes are.
   */
  SVC_DATABASE_URL: string;
  /**
   * URL at which the editor reaches the internal side, such as http://gate:8081.
   */
  SVC_GATE_WOPI_URL: string;
  /**
   * URL at which the gate reaches the editor server (discovery and admin channel), such as http://editor:9980.
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
   * Lowers the number of concurrent editing connections; cannot raise it.
   */
  SVC_GATE_CONNECTION_CAP?: number;
  /**
   * 1: documents can be embedded.
   */
  SVC_EMBED_ENABLED: boolean;
  /**
   * Configurations must be HS256 JWTs signed with this secret, of at least 32 characters.
   */
  SVC_EMBED_JWT_SECRET: string;
  /**
   * Previous secret, still accepted while you rotate it.
   */
  SVC_EMBED_JWT_SECRET_PREVIOUS: string;
  /**
   * Accept unsigned configurations if there is no secret. For development only.
   */
  SVC_EMBED_ALLOW_UNSIGNED: boolean;
  /**
   * Origins of pages that may embed, separated by commas, or `*`.
   */
  SVC_EMBED_ALLOWED_ORIGINS: string;
  /**
   * on: the editor also opens documents of other WOPI hosts. off: for an installation that only embeds.
   */
  SVC_EMBED_FOREIGN_HOSTS: 'on' | 'off';
  /**
   * Largest document, MB.
   */
  SVC_EMBED_MAX_FILE_MB: number;
  /**
   * Lifetime of a session, minutes.
   */
  SVC_EMBED_SESSION_TTL_MINUTES: number;
  /**
   * Hours for which a closed document, its versions and their download links are kept.
   */
  SVC_EMBED_RETAIN_HOURS: number;
  /**
   * Signs save callbacks. Empty: they are unsigned.
   */
  SVC_EMBED_CALLBACK_SECRET: string;
  /**
   * Signs download links. Empty: a secret is generated and kept with the rows, in the database or in the data folder.
   */
  SVC_EMBED_LINK_SECRET: string;
  /**
   * Absolute path of the file with the licence token. The file is watched: a new token takes effect within seconds. Absent: Community.
   */
  SVC_LICENSE_FILE?: string;
  /**
   * Absolute path of the JWK Set with the public keys that licences are verified against.
   */
  SVC_LICENSE_KEYS_FILE?: string;
  /**
   * Comma-separated host names, IP addresses and CIDRs, each with an optional :port, that outbound requests may reach although they are internal, or are known only to /etc/hosts or a search domain.
   */
  SVC_FETCH_ALLOW_HOSTS: string;
  /**
   * Comma-separated IP addresses and CIDRs of your own that count as internal although they are public, such as those of pods: outbound requests reach them only if SVC_FETCH_ALLOW_HOSTS lists the name, or an address or a narrower range.
   */
  SVC_FETCH_DENY: string;
  /**
   * HTTP proxy for all outbound requests but those to SVC_FETCH_ALLOW_HOSTS, such as http://proxy.example:3128, with user:password@ if it wants them. It must allow CONNECT to addresses, also to port 80 for http URLs: the service resolves and checks names itself, and tells the proxy an address.
   */
  SVC_FETCH_PROXY: string;
  /**
   * Lowest level that is logged.
   */
  SVC_LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /**
   * Target of the audit trail: off, stdout, file:/path (an absolute one) or an http(s) URL that accepts JSON arrays of events.
   */
  SVC_AUDIT_TARGET: string;
  /**
   * 1: enables the demo at /svc/demo, for everybody who can reach the service.
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
     * Connections that the plan allows.
     */
    plan_limit: number;
    /**
     * SVC_GATE_CONNECTION_CAP if it lowers the plan; otherwise null.
     */
    cap: number | null;
    /**
     * Smallest number of connections that can be ordered.
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
  editor: {
    /**
     * Edits that never became a version, handed over by the editor's quarantine (docs/operations.md).
     */
    unsaved: number;
  };
  connections: {
    /**
     * Editing connections counted, including dropped ones that may still reconnect.
     */
    current: number;
    /**
     * Admitted, but not yet connected.
     */
    pending: number;
    peak_5m: number;
    limit: number;
    /**
     * Read-only views.
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
     * true: the cap is enforced. false: there is no recent sample of who is editing, so it is not.
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
       * The last undelivered callbacks, newest first. This endpoint is public, so the document's key is only in the log and the audit trail, under the same `delivery`.
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
 * A unit of work and its result.
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
   * URL that the server downloads the source from; subject to the outbound URL rules. JSON only.
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
   * URL that receives a callback when the job ends. Enterprise only, with `async`.
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
   * URL that the server downloads the template from; subject to the outbound URL rules. JSON only.
   */
  url?: string;
  /**
   * Values for the tags of the template.
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
   * URL that receives a callback when the job ends. Enterprise only, with `async`.
   */
  callback_url?: string;
}
export interface RenderOptions {
  /**
   * Treatment of a field without a value: it is left empty, or all of them are listed in a `template_error`.
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
   * URL that the server downloads the source from; subject to the outbound URL rules. JSON only.
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
   * URL that receives a callback when the job ends. Enterprise only, with `async`.
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
   * URL that the server downloads the source from; subject to the outbound URL rules. JSON only.
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
   * URL that receives a callback when the job ends. Enterprise only, with `async`.
   */
  callback_url?: string;
}
/**
 * Desired state of an instance. Only `host` is required.
 */
export interface SvcInstanceSpec {
  /**
   * Public DNS name of the service, in lower case, without scheme, port or path.
   */
  host: string;
  /**
   * Public port, if it is not the default one (443, or 80 with tls.mode Disabled).
   */
  port?: number;
  /**
   * https or http, and the certificate.
   */
  tls: {
    /**
     * Edge: URLs are https, and TLS is terminated in front of the front, at the Ingress, the Gateway or a load balancer. Disabled: URLs are http.
     */
    mode: 'Edge' | 'Disabled';
    /**
     * Secret of type kubernetes.io/tls in the instance's namespace, named in the Ingress. Absent: the edge's own certificate.
     */
    secretName?: string;
  };
  /**
   * Licence of the Enterprise edition. Absent: Community. Adding, renewing or removing it restarts neither gate nor editor.
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
   * Objects at the edge of the cluster, and who asks the gate before an editor opens.
   */
  ingress: {
    /**
     * Who asks the gate whether another editor may open. AuthUrl: ingress-nginx, through its auth-url annotation. Front: the front, behind any edge. None: the front, and no edge object is created, for an edge of your own.
     */
    gating: 'AuthUrl' | 'Front' | 'None';
    /**
     * Object created at the edge: an Ingress, or a Gateway API HTTPRoute (with gating Front).
     */
    kind: 'Ingress' | 'HTTPRoute';
    /**
     * IngressClass of the Ingress. Absent: `nginx` with gating AuthUrl, otherwise the cluster's default class.
     */
    className?: string;
    /**
     * Additional annotations of the Ingress or HTTPRoute. Those that the controller sets take precedence; those that may change routing or security need the administrator's leave (`allow.ingressAnnotations` of the chart).
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
       * Listener of the Gateway. Absent: all matching listeners.
       */
      sectionName?: string;
    };
    /**
     * Pods of the ingress controller. With gating AuthUrl only they can reach the front's open and ask ports.
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
   * Embedding of the editor into your own pages.
   */
  embed: {
    /**
     * Documents can be embedded.
     */
    enabled: boolean;
    /**
     * Origins of pages that may embed, or exactly `*`. Empty: none.
     *
     * Items: Origin as browsers send it, such as https://portal.example.com, or `*` for all.
     */
    allowedOrigins: string[];
    /**
     * Accept unsigned configurations: anybody who can reach the service can embed. For development only. No signing secret is then generated; one that you supply is still enforced.
     */
    allowUnsigned: boolean;
    /**
     * true: the gate also lets people open documents of other WOPI hosts, which have to be listed in editor.wopiHosts. Set false where the editor is only embedded.
     */
    foreignHosts: boolean;
    /**
     * Largest document, MB.
     */
    maxFileMb: number;
    /**
     * Lifetime of a session, minutes.
     */
    sessionTtlMinutes: number;
    /**
     * How long a closed document, its versions and their download links are kept, hours.
     */
    retainHours: number;
  };
  /**
   * The gate: embedding, saves, callbacks and the cap of editing connections.
   */
  gate: {
    /**
     * Lowers the number of concurrent editing connections; cannot raise it. Absent: what the edition allows.
     */
    connectionCap?: number;
    /**
     * Pods of the gate. More than one needs storage.postgres and storage.s3. Absent: 2 with these, otherwise 1.
     */
    replicas?: number;
    pod: PodOverrides;
  };
  /**
   * DocBuilder: the REST API that converts, builds and reads documents.
   */
  docbuilder: {
    /**
     * Engine workers, 1 to 32, each of which does one job at a time. `auto`: one in Community, one for every 50 connections of the licence (2 to 32) in Enterprise. CPU and memory depend on it. Another number starts and ends workers while DocBuilder runs.
     */
    workers: 'auto' | number;
    /**
     * Pods among which the workers are divided, the same number in each. More than one needs storage.postgres and storage.s3. There are never more pods than workers. Absent: with these, as many as give each at most 4 workers; otherwise 1.
     */
    replicas?: number;
    /**
     * Lets a HorizontalPodAutoscaler choose the number of pods by their CPU, up to replicas. Needs storage.postgres, storage.s3 and the cluster's metrics-server. Absent: the number is fixed.
     */
    autoscaling?: {
      /**
       * Least pods.
       */
      minReplicas: number;
      /**
       * CPU that the pods are to use on average, in percent of their request.
       */
      cpuPercent: number;
    };
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
     * Lowers the edition's limit for input and output files, MB.
     */
    maxFileMb?: number;
    /**
     * Lowers the edition's job timeout, seconds. A stopping pod gets as long to finish its jobs.
     */
    jobTimeoutSeconds?: number;
    /**
     * Sandbox of the workers. Auto: user namespaces if available, otherwise Landlock with seccomp, otherwise DocBuilder refuses to start.
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
     * Secret with the keys `username` and `password` of the editor's admin console, labelled `svc.internal/instance=<name of the instance>` or of type svc.internal/secrets. Absent: both are generated once and kept.
     */
    adminSecretName?: string;
    /**
     * WOPI hosts besides the gate whose documents the editor opens, such as a file-sync platform's. The editor is let out to their ports. A change restarts the editor. They also need embed.foreignHosts.
     *
     * Items: Origin, such as https://files.example.com: the scheme, host and port of the addresses by which the editor fetches and stores documents.
     */
    wopiHosts: string[];
    /**
     * Additional settings of the editor server, such as `--o:user_interface.mode=notebookbar`. Settings that the controller sets cannot be set here; those that change security, network or logs need the administrator's leave (`allow.editorParams` of the chart).
     *
     * Items: One setting, `--o:section.name=value`.
     */
    extraParams: string[];
    /**
     * Languages whose spelling dictionaries are loaded. Empty: the image's default.
     *
     * Items: Language code, such as vi_VN.
     */
    dictionaries: string[];
    pod: PodOverrides;
  };
  /**
   * The front: the nginx that every request passes through.
   */
  front: {
    /**
     * Pods of the front. Also the instance's scale subresource, for an autoscaler.
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
       * Annotations of the Service. Most need the administrator's leave (`allow.serviceAnnotations` of the chart).
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
    /**
     * Proxies before the front whose X-Forwarded-For says who the client is: its last address that is not one of theirs. Absent: if service.type is ClusterIP, the last address that an edge with a private address says, whatever it is; otherwise none.
     *
     * Items: IP address or CIDR, such as 10.244.0.0/16.
     */
    trustedEdges?: string[];
    /**
     * Requests that one client may have in progress at a pod: an IPv4 address, or an IPv6 network of 64 bits. Editing sockets do not count.
     */
    requestsPerAddress: number;
    /**
     * Requests that all clients together may have in progress at a pod.
     */
    requests: number;
    pod: PodOverrides;
  };
  /**
   * Volumes, or a database and a bucket instead of those of gate and DocBuilder.
   */
  storage: {
    /**
     * Database of gate and DocBuilder: PostgreSQL 14 or later. Together with s3 it makes both stateless, so that they may have several pods. Cannot be added or removed later.
     */
    postgres?: {
      /**
       * Secret with the key `uri`, or `host`, `port`, `dbname`, `user` or `username`, and `password`, labelled `svc.internal/instance=<name of the instance>` or of type svc.internal/secrets. The Secret `<cluster>-app` of CloudNativePG has them. With other values the pods are replaced.
       */
      secretName: string;
      /**
       * TLS to the database. VerifyFull: the server has a certificate for its host of a public authority or of outbound.caBundle. Absent: no TLS, unless the address in the Secret says otherwise (sslmode).
       */
      sslMode?: 'Disable' | 'VerifyFull';
    };
    /**
     * S3-compatible object store for documents and results. Cannot be added or removed later.
     */
    s3?: {
      /**
       * Bucket, which must exist. Cannot be changed.
       */
      bucket: string;
      /**
       * Address of the object store, such as http://minio.storage:9000. Absent: AWS.
       */
      endpoint?: string;
      /**
       * Region of the bucket.
       */
      region: string;
      /**
       * What the names of all objects begin with, such as office/. Bucket and prefix belong to one instance. Cannot be changed.
       */
      prefix: string;
      /**
       * Secret with the keys `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or `ACCESS_KEY_ID` and `ACCESS_SECRET_KEY`, labelled `svc.internal/instance=<name of the instance>` or of type svc.internal/secrets. Absent: the role of the ServiceAccounts.
       */
      secretName?: string;
      /**
       * Annotations of the ServiceAccounts of gate and DocBuilder, such as eks.amazonaws.com/role-arn. All need the administrator's leave (`allow.serviceAccountAnnotations` of the chart).
       */
      serviceAccountAnnotations: {
        /**
         * Value of the annotation.
         */
        [k: string]: string;
      };
    };
    /**
     * StorageClass of all volumes. Absent: the cluster's default class. Cannot be changed.
     */
    className?: string;
    /**
     * Treatment of the volumes when the instance is deleted. Retain: they stay, and an instance of the same name in the same namespace takes them over. Delete: they are deleted with it, documents included. Deleting the namespace deletes them in any case.
     */
    onDelete: 'Retain' | 'Delete';
    /**
     * Volume of the gate: documents, versions and callbacks that are still to be sent. With postgres and s3 there is none.
     */
    gate: {
      /**
       * Size of the volume; it can grow. With postgres and s3, the most that files on their way may take on a node.
       */
      size: string;
    };
    /**
     * Volume of DocBuilder: uploads and results. With postgres and s3 there is none.
     */
    docbuilder: {
      /**
       * Size of the volume; it can grow. With postgres and s3, the most that files on their way may take on a node.
       */
      size: string;
    };
    /**
     * Volume of the editor: copies of saves until the gate has them (quarantine).
     */
    editor: {
      /**
       * Size of the volume; it can grow. With ephemeral, the most that the copies may take on a node.
       */
      size: string;
      /**
       * No volume: the copies are in the pod, and go with it. The editor is then replaced within about a minute after its node is lost, and not only when the node, or its volume, is back. Needs postgres and s3.
       */
      ephemeral: boolean;
    };
  };
  /**
   * Keys and secrets that you supply. The others are generated once and kept in the Secret `<instance>-secrets`.
   */
  secrets?: {
    /**
     * Secret, labelled `svc.internal/instance=<name of the instance>` or of type svc.internal/secrets, with any of the keys docbuilder-api-keys, docbuilder-jwt-secret, docbuilder-callback-secret, embed-jwt-secret, embed-jwt-secret-previous, embed-callback-secret, embed-link-secret.
     */
    secretName: string;
  };
  /**
   * Addresses that the services may reach outside: documents by URL, callbacks, pictures. Public addresses are always allowed.
   */
  outbound: {
    /**
     * Internal hosts that outbound requests may reach.
     *
     * Items: Host name, IP address or CIDR with an optional :port, such as portal.internal:8443 or 10.20.0.0/16.
     */
    allowHosts: string[];
    /**
     * Public addresses of your own that count as internal, such as those of pods and Services.
     *
     * Items: IP address or CIDR, such as 203.0.113.0/24.
     */
    denyCidrs: string[];
    /**
     * HTTP proxy for all outbound requests of gate and DocBuilder but those to allowHosts, such as http://proxy.example:3128. It must allow CONNECT to addresses: names are resolved and checked before it is asked.
     */
    proxy?: string;
    /**
     * Certificate authorities that gate and DocBuilder trust besides the public ones: of internal hosts, or of a proxy that looks into TLS.
     */
    caBundle?: {
      /**
       * ConfigMap with the certificates as PEM.
       */
      configMapName: string;
      /**
       * Its key in the ConfigMap.
       */
      key: string;
    };
  };
  /**
   * Images of the product's components. Absent: the controller's defaults. The editor's is editor.image.
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
     * When the images of all components are pulled.
     */
    pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
    /**
     * Secrets for private registries, of type kubernetes.io/dockerconfigjson, in the namespace of the instance. Empty: those of the controller's chart (global.imagePullSecrets).
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
   * Lowest level that gate and DocBuilder log.
   */
  logLevel: 'Trace' | 'Debug' | 'Info' | 'Warn' | 'Error' | 'Fatal';
  /**
   * Target of the audit trail: `off`, `stdout`, `file:/path` or an http(s) URL that accepts JSON arrays of events.
   */
  auditTarget: string;
  /**
   * Enables the demo page and the demo callback receiver, for developers. Never use it with real documents.
   */
  devMode: boolean;
}
/**
 * Pod settings that can be overridden. Absent: the controller's own.
 */
export interface PodOverrides {
  /**
   * Requests and limits of the main container. If set, they replace all of the controller's.
   */
  resources?: {
    /**
     * Resources that the node must have free.
     */
    requests?: {
      /**
       * Quantity, such as 500m, 2 or 1Gi.
       */
      [k: string]: string;
    };
    /**
     * Most that the container may use.
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
   * Taints that the pod tolerates. All taints at once, and those of the control plane, need the administrator's leave (`allow.tolerations` of the chart).
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
     * How long the pod stays after a taint NoExecute, seconds. Absent: forever.
     */
    tolerationSeconds?: number;
  }[];
  /**
   * Affinity, as in a PodSpec. If set, it replaces all of the controller's.
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
   * PriorityClass of the pod. Those of the system need the administrator's leave (`allow.priorityClasses` of the chart).
   */
  priorityClassName?: string;
  /**
   * Additional annotations of the pod. Most need the administrator's leave (`allow.podAnnotations` of the chart).
   */
  annotations?: {
    /**
     * Value of the annotation.
     */
    [k: string]: string;
  };
  /**
   * Additional labels of the pod, which need the administrator's leave (`allow.podLabels` of the chart). Those that the controller sets take precedence.
   */
  labels?: {
    /**
     * Value of the label.
     */
    [k: string]: string;
  };
}
/**
 * Observed state. Written only by the controller.
 */
export interface SvcInstanceStatus {
  /**
   * metadata.generation of the spec that this status is about; -1 before a controller has looked.
   */
  observedGeneration?: number;
  /**
   * metadata.generation of the spec that was last applied completely. While the instance is paused, Ready refers to that one.
   */
  appliedGeneration?: number;
  /**
   * Value of the annotation svc.internal/reconcile-at that was last acted on.
   */
  lastHandledReconcileAt?: string;
  /**
   * Ready, GateAvailable, DocBuilderAvailable, EditorAvailable, FrontAvailable, EdgeReady, LicenseValid and Paused; StorageReady with storage.postgres; Reconciling and Stalled only while they are True.
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
     * None: there is no licence. Valid: it is in effect. Grace: it expired or was removed less than 30 days ago and is still in effect. Expired and Invalid: it is not in effect.
     */
    state: 'None' | 'Valid' | 'Grace' | 'Expired' | 'Invalid';
    /**
     * Name of the licensee.
     */
    subject?: string;
    /**
     * When the licence expires.
     */
    expiresAt?: string;
    /**
     * Days for which an expired or removed licence stays in effect.
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
   * Limits in force, after those that the spec lowers. Absent: unlimited.
   */
  plan?: {
    /**
     * Concurrent editing connections.
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
     * Concurrent jobs.
     */
    parallelJobs?: number;
    /**
     * Most jobs that may wait.
     */
    maxQueuedJobs?: number;
    /**
     * Largest input or output file of a job, MB.
     */
    maxFileMb?: number;
    /**
     * How long results are kept, minutes.
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
     * true: jobs may be asynchronous.
     */
    async?: boolean;
    /**
     * true: jobs may be reported by callback.
     */
    callback?: boolean;
  };
  /**
   * Size of DocBuilder, computed from plan and spec.
   */
  docbuilder?: {
    /**
     * Engine workers of all pods: as many as plan or spec want, or as the pods have memory for yet.
     */
    workers?: number;
    /**
     * CPU limit of a pod.
     */
    cpu?: string;
    /**
     * Memory limit of a pod.
     */
    memory?: string;
    /**
     * The most that /dev/shm may take of the memory.
     */
    sharedMemory?: string;
    /**
     * Time that a stopping pod has to finish its jobs, seconds.
     */
    gracePeriodSeconds?: number;
    /**
     * How these figures are computed, in one sentence.
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
   * Label selector of the front's pods, for an autoscaler.
   */
  frontSelector?: string;
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
   * True, False or Unknown: the condition holds, does not hold, or nobody knows.
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
   * Reason, as one word for programs.
   */
  reason: string;
  /**
   * Reason, for people.
   */
  message: string;
}
export interface ReplicaStatus {
  /**
   * Desired number of pods.
   */
  desired: number;
  /**
   * Number of ready pods.
   */
  ready: number;
}
