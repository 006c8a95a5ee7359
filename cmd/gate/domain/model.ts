import type { EmbedUi, EmbedUser } from '../../../src/common/generated/wire.ts';

const OOXML = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';

/**
 * The extensions that can be embedded (contract: document.fileType), with their media types and the names of their
 * families in the editor’s settings.
 */
export const FORMATS = {
  docx: { mediaType: `${OOXML}.wordprocessingml.document`, family: 'Text' },
  doc: { mediaType: 'application/msword', family: 'Text' },
  odt: { mediaType: `${ODF}.text`, family: 'Text' },
  rtf: { mediaType: 'application/rtf', family: 'Text' },
  txt: { mediaType: 'text/plain', family: 'Text' },
  xlsx: { mediaType: `${OOXML}.spreadsheetml.sheet`, family: 'Spreadsheet' },
  xls: { mediaType: 'application/vnd.ms-excel', family: 'Spreadsheet' },
  ods: { mediaType: `${ODF}.spreadsheet`, family: 'Spreadsheet' },
  csv: { mediaType: 'text/csv', family: 'Spreadsheet' },
  pptx: { mediaType: `${OOXML}.presentationml.presentation`, family: 'Presentation' },
  ppt: { mediaType: 'application/vnd.ms-powerpoint', family: 'Presentation' },
  odp: { mediaType: `${ODF}.presentation`, family: 'Presentation' },
} as const;
export type FileType = keyof typeof FORMATS;
export const FILE_TYPES = Object.keys(FORMATS) as FileType[];

export type Mode = 'edit' | 'view';

/** The name of a user without one. */
export const GUEST = 'Khách';

/** A document that the gate holds. Times are epoch milliseconds. */
export interface DocumentRecord {
  /** `doc_` + 32 hex, random. */
  docId: string;
  /** The portal's key. Of all documents with a key at most one is held. */
  key: string;
  fileType: FileType;
  title: string;
  /** Closed: nobody has it open, and the callback is queued. A save or a session opens it again. */
  state: 'open' | 'closed';
  /** Current version; 0 is the original. */
  version: number;
  createdAt: number;
  /** When somebody was last seen in it, or let in. */
  lastViewAt: number;
  closedAt: number | null;
  /** The target of its callbacks, from the newest session that named one. */
  callbackUrl: string | null;
  /** The service’s public address in the newest session, without a slash at its end; links begin with it. */
  baseUrl: string;
}

export interface VersionRecord {
  docId: string;
  version: number;
  /** The name of its bytes in the store. */
  blob: string;
  sha256: string;
  size: number;
  savedAt: number;
  /** The owner of the session that saved; null for the original and where nobody knows. */
  savedBy: EmbedUser | null;
  autosave: boolean;
  final: boolean;
  modifiedByUser: boolean;
  /** The nonce with which the browser library asked for this save. */
  nonce: string | null;
}

/**
 * In the order in which they follow. `abandoned`: nobody waits for the answer, and it is still being stored.
 * `broken_off`: not all of it came. `over`: it is no save, or not expected again.
 */
export const UPLOAD_STATES = ['under_way', 'abandoned', 'failed', 'broken_off', 'over'] as const;

/** Bytes on their way to become a version. */
export interface UploadRecord {
  blob: string;
  docId: string;
  /** The gate that has it, a random id of its process. */
  gate: string;
  state: (typeof UPLOAD_STATES)[number];
  /** The time of the last renewal, or of the end. */
  seenAt: number;
}

/** An edit that the editor could not store, kept until an administrator restores or discards it. */
export interface UnsavedRecord {
  id: string;
  docId: string;
  /** The editor's process that had the document open. */
  pid: number;
  /** When it was made, epoch milliseconds. */
  at: number;
  blob: string;
  sha256: string;
  size: number;
}

/** Something that all gates remember of a document for a day. */
export interface MemoryRecord {
  /**
   * `loaded`: the editor fetched it. `stored`: a version with the hash `key`, saved at `value`, was pruned. `awaited`:
   * a file with the hash `key` in the editor’s quarantine may still come as a save. `quarantined`: a file of the
   * editor’s process `key`, written at `value`, was stored.
   */
  kind: 'loaded' | 'stored' | 'awaited' | 'quarantined';
  docId: string;
  key: string;
  value: number | null;
  at: number;
}

export interface SessionRecord {
  /** `ses_` + 24 hex. It is also the UserId that the editor knows the session by. */
  sessionId: string;
  docId: string;
  mode: Mode;
  requestedMode: Mode;
  /** The signed configuration keeps it in mode `view`. */
  readOnly: boolean;
  /** It was admitted to edit once: its saves are accepted, after a switch to `view` too. */
  hasEdited: boolean;
  /** Hex SHA-256 of the access token, which is kept nowhere. */
  tokenHash: string;
  user: EmbedUser;
  lang: string;
  ui: EmbedUi;
  /** Origin of the embedding page; null when the request had none. */
  origin: string | null;
  createdAt: number;
  expiresAt: number;
  /** When it was deleted; null while it is not. */
  closedAt: number | null;
}

/** A callback. Those of one document are sent one after the other, in the order of `id`. */
export interface DeliveryRecord {
  id: number;
  /** UUID, the same in every attempt (`X-SVC-Delivery`). */
  delivery: string;
  docId: string;
  key: string;
  event: 'document.saved' | 'document.closed';
  version: number;
  url: string;
  /** The JSON body. Each attempt puts its own send time into it, and a link and people of that time. */
  body: string;
  state: 'pending' | 'delivered' | 'given_up';
  attempts: number;
  nextAttemptAt: number;
  lastStatus: number | null;
  /** When it was delivered or given up. */
  endedAt: number | null;
}

export type NewDelivery = Omit<DeliveryRecord, 'id'>;
