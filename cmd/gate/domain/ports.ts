import type { Readable } from 'node:stream';
import type { ByteRange } from '../../../src/common/byte-range.ts';
import type {
  DeliveryRecord,
  DocumentRecord,
  FileType,
  MemoryRecord,
  NewDelivery,
  SessionRecord,
  UnsavedRecord,
  UploadRecord,
  VersionRecord,
} from './model.ts';

/** Rows that a crash does not take. Nothing is decided here: rules read and write through transactions. */
export interface Rows {
  /**
   * Runs work that changes rows. When it resolves, all that the work did is there to stay; when it rejects, nothing was
   * done, unless the commit's answer was lost on its way. A document, session or callback that the work found by its id, key
   * or token stays as it was found until the end: whoever else wants it waits. The work may run again where others were
   * quicker, so all else that it does has to bear repetition.
   */
  transact<Result>(work: (rows: RowsTransaction) => Promise<Result> | Result): Promise<Result>;
  /** Runs work that reads rows as they are at one moment, which waits for nobody's changes and holds up nobody. */
  read<Result>(work: (rows: RowsReader) => Promise<Result> | Result): Promise<Result>;
  readonly openSessions: OpenSessions;
  /** The state that the gates on these rows share; undefined where there is but one gate. */
  readonly shared?: Shared;
  close(): Promise<void>;
}

/** The state that several gates share beside rows. An error is an `Unavailable`, and comes within 4 s. */
export interface Shared {
  /** The right to do what one gate at a time does. */
  lease: Lease;
  /** The counted places (`SharedPlaces`). */
  places: SharedText;
  /** The last sample of the editor (`EditorWatch`). */
  seen: SharedText;
  /** The id of the data folder that has the bytes, where one has them. */
  bytes: SharedText;
}

export interface Lease {
  /** Takes it or keeps it, for 10 s from now on. Returns whether this gate has it. */
  renew(): Promise<boolean>;
  /** Gives it back, if this gate has it. */
  release(): Promise<void>;
}

/** A text that all gates read and write, which has the version 0 before it was written for the first time. */
export interface SharedText {
  /** Returns the text, unless its version is the known one, and the store's own time in epoch milliseconds. */
  read(known: number): Promise<{ version: number; text: string | undefined; now: number }>;
  /** Writes it unless its version is another one by now. Returns whether it did; the new version is the next number. */
  write(text: string, version: number): Promise<boolean>;
}

/** Sessions that nobody deleted, some of them past their time, as the last transaction left them. */
export interface OpenSessions {
  byToken(tokenHash: string): Promise<OpenSession | undefined>;
  byDocument(docId: string): Promise<OpenSession[]>;
}

export type OpenSession = Pick<SessionRecord, 'sessionId' | 'docId' | 'mode' | 'expiresAt'>;

/** The place of a document among those that are closed. */
export type ClosedDocument = Pick<DocumentRecord, 'docId' | 'closedAt'>;

/** The rows that can be read. Each call is awaited before the next one and before the end of the work. */
export interface RowsReader {
  document(docId: string): Promise<DocumentRecord | undefined>;
  documentByKey(key: string): Promise<DocumentRecord | undefined>;
  documents(filter?: { state?: DocumentRecord['state'] }): Promise<DocumentRecord[]>;
  /** Returns those that were closed up to a time, first closed first, `limit` at most, from behind one of them on. */
  closedDocuments(closedBefore: number, limit: number, after?: ClosedDocument): Promise<DocumentRecord[]>;

  version(docId: string, version: number): Promise<VersionRecord | undefined>;
  /** Returns them in ascending order. */
  versions(docId: string): Promise<VersionRecord[]>;

  /** Returns those of one document or of all. */
  uploads(filter: { docId?: string }): Promise<UploadRecord[]>;
  /** Returns whether any version has a blob, or any edit that never became one. */
  usesBlob(blob: string): Promise<boolean>;
  /** Returns those of the blobs that some row names. */
  knownBlobs(blobs: readonly string[]): Promise<string[]>;
  /** Returns blobs whose removal was noted up to a time, `limit` of them at most. */
  blobsToRemove(notedBefore: number, limit: number): Promise<string[]>;

  unsaved(id: string): Promise<UnsavedRecord | undefined>;
  /** Returns those of one document or of all, oldest first. */
  allUnsaved(filter: { docId?: string }): Promise<UnsavedRecord[]>;
  remembered(what: MemoryKey): Promise<MemoryRecord | undefined>;

  session(sessionId: string): Promise<SessionRecord | undefined>;
  sessionByToken(tokenHash: string): Promise<SessionRecord | undefined>;
  /** Returns those neither deleted nor past `now`, of one document or of all. */
  liveSessions(now: number, docId?: string): Promise<SessionRecord[]>;
  /** Returns those deleted or expired before a time whose document was closed up to another, `limit` of them at most. */
  endedSessions(endedBefore: number, closedBefore: number, limit: number): Promise<SessionRecord[]>;
  /** Returns all of them. */
  sessions(): Promise<SessionRecord[]>;

  /** Returns how many documents are open, and how many sessions are neither deleted nor past `now`. */
  countOpen(now: number): Promise<{ documents: number; sessions: number }>;

  delivery(id: number): Promise<DeliveryRecord | undefined>;
  /** Returns the first pending one of each document. */
  dueDeliveries(): Promise<DeliveryRecord[]>;
  /** Returns all of them, oldest first. */
  deliveries(): Promise<DeliveryRecord[]>;
  pendingDeliveries(): Promise<number>;
  /** Returns whether there is any of a document, pending or ended. */
  hasDeliveries(docId: string): Promise<boolean>;
  /** Returns them newest first. */
  givenUp(limit: number): Promise<DeliveryRecord[]>;
}

/** The rows that can be changed, too. */
export interface RowsTransaction extends RowsReader {
  putDocument(document: DocumentRecord): Promise<void>;
  /** Removes a document with its versions and sessions; its callbacks stay. */
  removeDocument(docId: string): Promise<void>;

  putVersion(version: VersionRecord): Promise<void>;
  removeVersion(docId: string, version: number): Promise<void>;

  /** Adds one, unless its blob is noted already. */
  addUpload(upload: UploadRecord): Promise<void>;
  putUpload(upload: UploadRecord): Promise<void>;
  /** Updates state and time of one, if it is there and not over. */
  renewUpload(upload: UploadRecord): Promise<void>;
  /** Makes all of a document over that failed or broke off, and those that another gate has under way. */
  resolveUploads(docId: string, gate: string): Promise<void>;
  /** Returns whether it was there. */
  removeUpload(blob: string): Promise<boolean>;
  /** Removes those that were last seen before a time, and returns their blobs. */
  removeUploadsBefore(seenBefore: number): Promise<string[]>;
  /** Notes that a blob is to be removed. */
  addRemoval(blob: string, at: number): Promise<void>;
  /** Forgets a blob that was removed. */
  endRemoval(blob: string): Promise<void>;

  /** Adds a secret key, unless there is one of its name, and returns the one that there is. */
  keepKey(name: string, key: Buffer): Promise<Buffer>;

  putUnsaved(edit: UnsavedRecord): Promise<void>;
  removeUnsaved(id: string): Promise<void>;
  remember(memory: MemoryRecord): Promise<void>;
  forget(what: MemoryKey): Promise<void>;
  /** Forgets all that is older than a time. */
  forgetBefore(at: number): Promise<void>;

  putSession(session: SessionRecord): Promise<void>;
  removeSession(sessionId: string): Promise<void>;

  addDelivery(delivery: NewDelivery): Promise<DeliveryRecord>;
  putDelivery(delivery: DeliveryRecord): Promise<void>;
  removeDeliveriesBefore(endedBefore: number): Promise<void>;
}

export type MemoryKey = Pick<MemoryRecord, 'kind' | 'docId' | 'key'>;

/** A file on this machine with content as it arrived, complete, and flushed where it becomes stored bytes as it is. */
export interface ReceivedFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/**
 * Runs work that a store can fail, and decides whether to run it again. The signal aborts when it is time to give up;
 * there is none before the first failure.
 */
export type Attempt = <Result>(work: (signal?: AbortSignal) => Promise<Result>) => Promise<Result>;

export interface ReceiveOptions {
  maxBytes: number;
  /** Milliseconds without a byte after which content counts as stalled; 30 s by default. */
  idleMs?: number | undefined;
  /** Runs each write; by default a write is tried once. */
  attempt?: Attempt;
}

/** Receives content into files of this machine, before it is put anywhere else. */
export interface Incoming {
  /**
   * Streams content into a file while hashing it. When it rejects, no file is left, and the
   * content is not destroyed: that is its owner's decision.
   * @throws {AppError} `file_too_large` as soon as there are more than `maxBytes`; `BrokenOff`
   */
  receive(content: Readable, options: ReceiveOptions): Promise<ReceivedFile>;
  /** Removes a received file; one that was put in its place is no longer there. */
  discard(file: ReceivedFile): Promise<void>;
}

/** Bytes as they are stored: under a name that only they ever have. */
export type StoredBlob = Pick<VersionRecord, 'blob' | 'sha256'>;

/** Stored bytes. */
export interface Blobs {
  /**
   * Puts a received file in its place, and removes it from where it was. When it resolves, the bytes stay; after a failure
   * it can be called again.
   * @param blob its name, which nothing else has or had
   * @param signal ends it early; it has failed then
   */
  put(file: ReceivedFile, blob: string, signal?: AbortSignal): Promise<void>;
  /** The stream ends after the last byte; a store that fails before is an error of the stream. */
  read(stored: StoredBlob, range?: ByteRange): Readable;
  /** Removes bytes; none are there is no failure. */
  remove(blob: string): Promise<void>;
  /** Returns the names of all that is stored, where nobody else stores anything: a crash leaves bytes that no row names. */
  list?(): Promise<string[]>;
}

/** One view in the editor's own list. */
export interface EditorView {
  /** Id of the document of ours that it shows; null for a document of another WOPI host. */
  docId: string | null;
  wopiSrc: string;
  userId: string;
  /** The editor's own id of the view. */
  viewId: string;
  readonly: boolean;
}

/** The list of the editor's admin channel at one moment. */
export interface EditorSample {
  /** Epoch milliseconds. */
  at: number;
  views: EditorView[];
  /** Documents that the editor has open. */
  documents: number;
  /** Documents of ours with changes that are not saved. */
  modified: readonly string[];
}

export type EditorState = 'ok' | 'down' | 'auth_failed';

/** The editor server as the gate needs it. */
export interface EditorServer {
  /**
   * Path and query of the editor page for an extension, ending in `?` or `&` so that `WOPISrc=` can follow.
   * @throws {AppError} `editor_unavailable`; `unsupported_file_type` when this editor edits no such files
   */
  page(fileType: string): Promise<string>;
  /** Samples its list until the returned function is called. */
  sampling(handlers: SamplingHandlers): () => void;
  /** Forgets its pages: it may be another version now, whose pages are elsewhere. */
  forgetPages(): void;
  stop(): void;
}

export interface SamplingHandlers {
  /** The last good sample before; what cannot be read of the next one is taken from it. */
  previous: EditorSample | undefined;
  /** Called with the first state and each change of it; `ok` comes before the sample that shows it. */
  onState: (state: EditorState) => void;
  onSample: (sample: EditorSample) => void;
}

/** Sends one callback. */
export interface CallbackPoster {
  /** The status of the answer, null when there was none within 10 s. Never rejects. */
  post(delivery: DeliveryRecord, signal: AbortSignal): Promise<number | null>;
}

/** Fetches documents through the outbound door. */
export interface Downloader {
  /**
   * Fetches a document and, once its bytes have been found to be what the extension says, lets `use` read them.
   * @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large`; what `use` throws
   */
  download<Result>(
    url: string,
    options: { fileType: FileType; maxBytes: number; signal: AbortSignal },
    use: (content: Readable) => Promise<Result>,
  ): Promise<Result>;
  /** @throws {AppError} `url_not_allowed` */
  check(url: string): Promise<void>;
}
