import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../src/common/errors.ts';
import type { EmbedUser } from '../../../src/common/generated/wire.ts';
import { savedDelivery, type VersionLink } from './callback-body.ts';
import type { DocumentRecord, VersionRecord } from './model.ts';
import type { Presence, RowsTransaction } from './ports.ts';
import { savedAfter, toTimestamp } from './wopi.ts';

/** The editor's headers about a save. */
export interface SaveFacts {
  /** The stamp of the version that it began from; undefined when the user decided to overwrite whatever is there. */
  timestamp: string | undefined;
  autosave: boolean;
  final: boolean;
  modifiedByUser: boolean;
  nonce: string | null;
}

/** The session in whose name a save is made; a restored edit has none. */
export interface Saver {
  docId: string;
  sessionId: string | null;
  user: EmbedUser | null;
}

export interface NewVersion {
  session: Saver;
  blob: { sha256: string; size: number };
  facts: SaveFacts;
  now: number;
  /** What an earlier attempt would have brought about, whose failure may have been that of its answer only. */
  attempted?: Committed | undefined;
}

export interface Committed {
  version: VersionRecord;
  /** False for bytes that were the current version already and made none. */
  isNew: boolean;
  /** There is a callback to send. */
  called: boolean;
  /** Hashes of the versions that went. */
  removed: string[];
}

/** Beside the original (contract: Version cleanup). */
const KEPT_VERSIONS = 5;

/**
 * Everything that a save changes: the version, the document, its callback, and what is too old now. A repeat of the
 * current version changes nothing.
 * @throws {AppError} `not_found`
 */
export async function commitSave(
  tx: RowsTransaction,
  { session, blob, facts, now, attempted }: NewVersion,
  { presence, link }: { presence: Pick<Presence, 'users'>; link: VersionLink },
): Promise<Committed | 'conflict'> {
  const { docId } = session;
  const before = await tx.document(docId);
  const previous = before && (await tx.version(docId, before.version));
  if (!before || !previous) throw new AppError('not_found');
  if (attempted && isDeepStrictEqual(await tx.version(docId, attempted.version.version), attempted.version)) {
    return attempted;
  }
  if (facts.timestamp !== undefined && facts.timestamp !== toTimestamp(previous)) return 'conflict';
  const nonce = await getNewNonce(tx, docId, facts);
  if (isRepeat(previous, blob.sha256, facts, nonce)) {
    return { version: previous, isNew: false, called: false, removed: [] };
  }

  const version: VersionRecord = {
    ...blob,
    docId,
    version: previous.version + 1,
    savedAt: savedAfter(previous, now),
    savedBy: session.user,
    autosave: facts.autosave,
    final: facts.final,
    modifiedByUser: facts.modifiedByUser,
    nonce,
  };
  const document = reopened({ ...before, version: version.version }, now);
  await tx.putVersion(version);
  await tx.putDocument(document);
  const callback = savedDelivery(document, version, { users: getUsers(session, facts, presence), link, now });
  if (callback) await tx.addDelivery(callback);
  return { version, isNew: true, called: callback !== undefined, removed: await prune(tx, docId) };
}

/**
 * Who has it open, including the person who saves, whom the editor may not have listed yet. At the final save nobody has:
 * the editor still lists those who have left.
 */
function getUsers({ docId, user }: Saver, { final }: SaveFacts, presence: Pick<Presence, 'users'>): EmbedUser[] {
  if (final) return [];
  const listed = presence.users(docId);
  return user === null || listed.some(({ id }) => id === user.id) ? listed : [...listed, user];
}

/**
 * Returns whether the bytes of the current version come again although nobody asked for a save: when the last person
 * leaves, or because the editor missed the answer to the upload before.
 */
function isRepeat(current: VersionRecord, sha256: string, facts: SaveFacts, nonce: string | null): boolean {
  if (sha256 !== current.sha256 || nonce !== null) return false;
  return facts.final || current.final || facts.nonce !== null;
}

/** A document with a save is open again, and closes again like any other. */
function reopened(document: DocumentRecord, now: number): DocumentRecord {
  return document.state === 'open' ? document : { ...document, state: 'open', closedAt: null, lastViewAt: now };
}

/** The editor sends the nonce of the save before once more with its final one: only the first counts. */
async function getNewNonce(tx: RowsTransaction, docId: string, { nonce, final }: SaveFacts): Promise<string | null> {
  if (nonce === null || final) return null;
  const versions = await tx.versions(docId);
  return versions.some((version) => version.nonce === nonce) ? null : nonce;
}

/** Removes versions that are neither among the latest five nor the original. */
async function prune(tx: RowsTransaction, docId: string): Promise<string[]> {
  const saved = (await tx.versions(docId)).filter(({ version }) => version > 0);
  const old = saved.slice(0, -KEPT_VERSIONS);
  for (const { version } of old) await tx.removeVersion(docId, version);
  return old.map(({ sha256 }) => sha256);
}
