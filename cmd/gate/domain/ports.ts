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

/** Durable rows. The rules are in `domain/`, which reads and writes through transactions. */
export interface Rows {
  /**
   * Runs work that changes rows. When it resolves, the changes are durable; when it rejects, nothing was changed,
   * unless the answer to the commit was lost. A document, session or callback that the work found by its id, key or
   * token is locked until the end. After a conflict the work runs again, so that its other effects have to bear
   * repetition.
   */
  transact<Result>(work: (rows: RowsTransaction) => Promise<Result> | Result): Promise<Result>;
  /** Runs work that reads a snapshot of the rows, without locks. */
  read<Result>(work: (rows: RowsReader) => Promise<Result> | Result): Promise<Result>;
  readonly openSessions: OpenSessions;
  /** Undefined where there is only one gate. */
  readonly shared?: Shared;
  close(): Promise<void>;
}

/** State that several gates share beside rows. An error is an `Unavailable`, and comes within 4 s. */
export interface Shared {
  lease: Lease;
  /** The counted places (`SharedPlaces`). */
  places: SharedText;
  /** The last sample of the editor (`EditorWatch`). */
  seen: SharedText;
  /** The id of the data folder that has the bytes, where one has them. */
  bytes: SharedText;
}

export interface Lease {
  /** Takes or renews it for 10 s. Returns whether this gate has it. */
  renew(): Promise<boolean>;
  /** Gives it back, if this gate has it. */
  release(): Promise<void>;
}

/** A text with a version that all gates read and write; version 0 means that it was never written. */
export interface SharedText {
  /** Returns the text, unless its version is `known`, and the store’s own time in epoch milliseconds. */
  read(known: number): Promise<{ version: number; text: string | undefined; now: number }>;
  /** Writes it if its version is still `version`, and increments that. Returns whether it did. */
  write(text: string, version: number): Promise<boolean>;
}

/** Sessions that are not deleted; some have expired. */
export interface OpenSessions {
  byToken(tokenHash: string): Promise<OpenSession | undefined>;
  byDocument(docId: string): Promise<OpenSession[]>;
}

export type OpenSession = Pick<SessionRecord, 'sessionId' | 'docId' | 'mode' | 'expiresAt'>;

/** The position of a document in the list of closed ones. */
export type ClosedDocument = Pick<DocumentRecord, 'docId' | 'closedAt'>;

/** Reads rows. Each call is awaited before the next one and before the end of the work. */
export interface RowsReader {
  document(docId: string): Promise<DocumentRecord | undefined>;
  documentByKey(key: string): Promise<DocumentRecord | undefined>;
  documents(): Promise<DocumentRecord[]>;
  /** Returns the ids of those that are open. */
  openDocuments(): Promise<string[]>;
  /** Returns at most `limit` documents closed up to a time, first closed first, that follow `after`. */
  closedDocuments(closedBefore: number, limit: number, after?: ClosedDocument): Promise<DocumentRecord[]>;

  version(docId: string, version: number): Promise<VersionRecord | undefined>;
  /** In ascending order. */
  versions(docId: string): Promise<VersionRecord[]>;

  /** Returns those of one document or of all. */
  uploads(filter: { docId?: string }): Promise<UploadRecord[]>;
  /** Returns those of the blobs that a version or an unsaved edit has. */
  usedBlobs(blobs: readonly string[]): Promise<string[]>;
  /** Returns those of the blobs that some row names. */
  knownBlobs(blobs: readonly string[]): Promise<string[]>;
  /** Returns at most `limit` blobs whose removal was noted up to a time. */
  blobsToRemove(notedBefore: number, limit: number): Promise<string[]>;

  unsaved(id: string): Promise<UnsavedRecord | undefined>;
  /** Returns those of one document or of all, oldest first. */
  allUnsaved(filter: { docId?: string }): Promise<UnsavedRecord[]>;
  remembered(what: MemoryKey): Promise<MemoryRecord | undefined>;

  session(sessionId: string): Promise<SessionRecord | undefined>;
  /** Returns those of the ids that are there, in any order. */
  sessionsById(sessionIds: readonly string[]): Promise<SessionRecord[]>;
  sessionByToken(tokenHash: string): Promise<SessionRecord | undefined>;
  /** Returns those of a document, or of all, that are neither deleted nor expired at `now`. */
  liveSessions(now: number, docId?: string): Promise<SessionRecord[]>;
  /** Returns all that were deleted or expired before a time, in any order. */
  endedSessions(endedBefore: number): Promise<Pick<SessionRecord, 'sessionId' | 'docId'>[]>;
  /** Returns all of them. */
  sessions(): Promise<SessionRecord[]>;

  /** Counts open documents, and sessions that are neither deleted nor expired at `now`. */
  countOpen(now: number): Promise<{ documents: number; sessions: number }>;

  delivery(id: number): Promise<DeliveryRecord | undefined>;
  /** Returns the first pending one of each document. */
  dueDeliveries(): Promise<DeliveryRecord[]>;
  /** Returns all of them, oldest first. */
  deliveries(): Promise<DeliveryRecord[]>;
  pendingDeliveries(): Promise<number>;
  /** Returns whether a document has any, pending or ended. */
  hasDeliveries(docId: string): Promise<boolean>;
  /** Returns them newest first. */
  givenUp(limit: number): Promise<DeliveryRecord[]>;
}

export interface RowsTransaction extends RowsReader {
  putDocument(document: DocumentRecord): Promise<void>;
  /** Removes a document with its versions and sessions, but not its callbacks. */
  removeDocument(docId: string): Promise<void>;

  putVersion(version: VersionRecord): Promise<void>;
  removeVersion(docId: string, version: number): Promise<void>;

  /** Adds one, or does what `renewUpload` does. */
  putUpload(upload: UploadRecord): Promise<void>;
  /** Updates state and time of one, unless its state is a later one. */
  renewUpload(upload: UploadRecord): Promise<void>;
  /** Ends the uploads of a document that have one of the states, and those that another gate has under way. */
  resolveUploads(docId: string, gate: string, states: readonly UploadRecord['state'][]): Promise<void>;
  /** Returns whether it was there. */
  removeUpload(blob: string): Promise<boolean>;
  /** Removes those last renewed before a time, and returns their blobs. */
  removeUploadsBefore(seenBefore: number): Promise<string[]>;
  addRemoval(blob: string, at: number): Promise<void>;
  endRemoval(blob: string): Promise<void>;

  /** Adds a secret key unless its name has one, and returns the key of the name. */
  keepKey(name: string, key: Buffer): Promise<Buffer>;

  putUnsaved(edit: UnsavedRecord): Promise<void>;
  removeUnsaved(id: string): Promise<void>;
  remember(memory: MemoryRecord): Promise<void>;
  forget(what: MemoryKey): Promise<void>;
  forgetBefore(at: number): Promise<void>;

  putSession(session: SessionRecord): Promise<void>;
  removeSession(sessionId: string): Promise<void>;

  addDelivery(delivery: NewDelivery): Promise<DeliveryRecord>;
  putDelivery(delivery: DeliveryRecord): Promise<void>;
  removeDeliveriesBefore(endedBefore: number): Promise<void>;
}

export type MemoryKey = Pick<MemoryRecord, 'kind' | 'docId' | 'key'>;

/** A complete file on this machine, flushed if it is to become the stored file itself. */
export interface ReceivedFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/**
 * Runs work that a store can fail, again and again where that may help. The signal aborts when it is time to give up;
 * there is none before the first failure.
 */
export type Attempt = <Result>(work: (signal?: AbortSignal) => Promise<Result>) => Promise<Result>;

export interface ReceiveOptions {
  maxBytes: number;
  /** Milliseconds without a byte after which the content counts as stalled; 30 s by default. */
  idleMs?: number | undefined;
  /** Runs each write, by default once. */
  attempt?: Attempt;
}

export interface Incoming {
  /**
   * Streams content into a file and hashes it. When it rejects, no file is left; the content is not destroyed.
   * @throws {AppError} `file_too_large` as soon as there are more than `maxBytes`; `BrokenOff`
   */
  receive(content: Readable, options: ReceiveOptions): Promise<ReceivedFile>;
  /** Removes a received file, if it has not been put in its place. */
  discard(file: ReceivedFile): Promise<void>;
}

/** Stored bytes, by their unique name. */
export type StoredBlob = Pick<VersionRecord, 'blob' | 'sha256'>;

/** Stored bytes. */
export interface Blobs {
  /**
   * Moves a received file into the store. When it resolves, the bytes are durable; after a failure it can be called
   * again.
   * @param blob a name that is used only once
   * @param signal ends it early, as a failure
   */
  put(file: ReceivedFile, blob: string, signal?: AbortSignal): Promise<void>;
  /** A failure of the store is an error of the stream. */
  read(stored: StoredBlob, range?: ByteRange): Readable;
  /** Removes bytes, if they are there. */
  remove(blob: string): Promise<void>;
  /** Returns all names. Absent where others may store bytes in the same place. */
  list?(): Promise<string[]>;
}

/** One view in the editor's own list. */
export interface EditorView {
  /** Null for a document of another WOPI host. */
  docId: string | null;
  wopiSrc: string;
  userId: string;
  viewId: string;
  readonly: boolean;
}

/** The list of the editor's admin channel at one moment. */
export interface EditorSample {
  /** Epoch milliseconds. */
  at: number;
  views: EditorView[];
  documents: number;
  /** Documents of ours with changes that are not saved. */
  modified: readonly string[];
}

export type EditorState = 'ok' | 'down' | 'auth_failed';

export interface EditorServer {
  /**
   * Path and query of the editor page for an extension, ending in `?` or `&` so that `WOPISrc=` can follow.
   * @throws {AppError} `editor_unavailable`; `unsupported_file_type` when this editor edits no such files
   */
  page(fileType: string): Promise<string>;
  /** Samples its list of documents until the returned function is called. */
  sampling(handlers: SamplingHandlers): () => void;
  /** Forgets its pages: another version of the editor has them elsewhere. */
  forgetPages(): void;
  stop(): void;
}

export interface SamplingHandlers {
  /** The last good sample, from which parts that cannot be read are taken. */
  previous: EditorSample | undefined;
  /** Called with the first state and each change of it; `ok` precedes its sample. */
  onState: (state: EditorState) => void;
  onSample: (sample: EditorSample) => void;
}

export interface CallbackPoster {
  /** Returns the status of the answer; null when none came within 10 s. Never rejects. */
  post(delivery: DeliveryRecord, signal: AbortSignal): Promise<number | null>;
}

/** Downloads documents (contract: Outbound URL rules). */
export interface Downloader {
  /**
   * Downloads a document, checks that its bytes fit its extension, and lets `use` read them.
   * @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large`; errors of `use`
   */
  download<Result>(
    url: string,
    options: { fileType: FileType; maxBytes: number; signal: AbortSignal },
    use: (content: Readable) => Promise<Result>,
  ): Promise<Result>;
  /** @throws {AppError} `url_not_allowed` */
  check(url: string): Promise<void>;
}
