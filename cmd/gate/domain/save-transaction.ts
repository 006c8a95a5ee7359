import { AppError } from '../../../src/common/errors.ts';
import type { EmbedUser } from '../../../src/common/generated/wire.ts';
import { createDelivery } from './callback-body.ts';
import type { Links } from './links.ts';
import type { VersionRecord } from './model.ts';
import type { RowsTransaction } from './ports.ts';
import type { Presence } from './presence.ts';
import { dropUpload, takeUpload, type Uploaded } from './uploads.ts';
import { savedAfter, toTimestamp } from './wopi.ts';

/** The editor's headers about a save. */
export interface SaveFacts extends Pick<VersionRecord, 'autosave' | 'final' | 'modifiedByUser' | 'nonce'> {
  /** The `LastModifiedTime` of the version that it began from; undefined when the user overwrites whatever is there. */
  timestamp: string | undefined;
}

/** The session in whose name a save is made; a restored edit has none. */
export interface Saver {
  docId: string;
  sessionId: string | null;
  user: EmbedUser | null;
}

export interface NewVersion {
  session: Saver;
  uploaded: Uploaded;
  facts: SaveFacts;
  now: number;
  /** Somebody waits for the answer. */
  isAwaited: boolean;
}

export interface Committed {
  version: VersionRecord;
  /** False for a repeat of the current version. */
  isNew: boolean;
  /** There is a callback to send. */
  called: boolean;
}

/** Beside the original (contract: Version cleanup). */
const KEPT_VERSIONS = 5;

/**
 * Stores the version, the document’s new state and the callback, and removes old versions. A repeat of the current
 * version changes nothing, nor does one that came late and that nobody waits for.
 * @throws {AppError} `not_found`
 */
export async function commitSave(
  tx: RowsTransaction,
  { session, uploaded, facts, now, isAwaited }: NewVersion,
  { presence, links }: { presence: Pick<Presence, 'users'>; links: Pick<Links, 'sign'> },
): Promise<Committed | 'conflict'> {
  const { docId } = session;
  const before = await tx.document(docId);
  const versions = await tx.versions(docId);
  const previous = versions.find(({ version }) => version === before?.version);
  if (!before || !previous) throw new AppError('not_found');
  // An earlier attempt made it, and only the answer to that was lost.
  const made = versions.find(({ blob }) => blob === uploaded.blob);
  if (made) return { version: made, isNew: true, called: true };
  const isStale =
    (facts.timestamp !== undefined && facts.timestamp !== toTimestamp(previous)) ||
    (!isAwaited && (await isOvertaken(tx, docId, uploaded)));
  // Only the first save with a nonce counts: the editor sends it again with its final save.
  const isAsked = facts.nonce !== null && !facts.final && versions.every((version) => version.nonce !== facts.nonce);
  const nonce = isAsked ? facts.nonce : null;
  // The editor repeats a save by what it knew before, and the first try was stored after all.
  const isConflict = isStale && uploaded.sha256 !== previous.sha256;
  if (isConflict || isRepeat(previous, { session, uploaded, facts, isStale }, nonce)) {
    await dropUpload(tx, uploaded.blob, now);
    return isConflict ? 'conflict' : { version: previous, isNew: false, called: false };
  }

  const { autosave, final, modifiedByUser } = facts;
  const version: VersionRecord = {
    ...{ ...uploaded, docId, autosave, final, modifiedByUser, nonce },
    version: previous.version + 1,
    savedAt: savedAfter(previous, now),
    savedBy: session.user,
  };
  // A document with a save is open again, and closes again like any other.
  const opened = before.state === 'open' ? {} : ({ state: 'open', closedAt: null, lastViewAt: now } as const);
  const document = { ...before, ...opened, version: version.version };
  await takeUpload(tx, uploaded.blob);
  await tx.putVersion(version);
  await tx.putDocument(document);
  const users = getUsers(session, facts, presence);
  const callback = createDelivery('saved', document, version, { users, links, now });
  if (callback) await tx.addDelivery(callback);
  await prune(tx, [...versions, version], now);
  return { version, isNew: true, called: callback !== undefined };
}

/** Returns whether a save was stored that the editor sent after it had given this one up. */
async function isOvertaken(tx: RowsTransaction, docId: string, { blob }: Uploaded): Promise<boolean> {
  return (await tx.uploads({ docId })).some((upload) => upload.blob === blob && upload.state === 'over');
}

/**
 * Returns the users who have it open, and the one who saves, whom the editor may not list yet. After the final save
 * there is none: the editor still lists those who have left.
 */
function getUsers({ docId, user }: Saver, { final }: SaveFacts, presence: Pick<Presence, 'users'>): EmbedUser[] {
  if (final) return [];
  const listed = presence.users(docId);
  return user === null || listed.some(({ id }) => id === user.id) ? listed : [...listed, user];
}

/**
 * Returns whether the bytes of the current version came again without being asked for: when the last person leaves,
 * after an answer that the editor missed, or from an edit that was restored already.
 */
function isRepeat(
  current: VersionRecord,
  { session, uploaded, facts, isStale }: Pick<NewVersion, 'session' | 'uploaded' | 'facts'> & { isStale: boolean },
  nonce: string | null,
): boolean {
  if (uploaded.sha256 !== current.sha256 || nonce !== null) return false;
  return isStale || facts.final || current.final || facts.nonce !== null || session.sessionId === null;
}

/** Removes versions that are neither among the latest five nor the original. */
async function prune(tx: RowsTransaction, versions: readonly VersionRecord[], now: number): Promise<void> {
  const old = versions.filter(({ version }) => version > 0).slice(0, -KEPT_VERSIONS);
  for (const { docId, version, sha256, blob, savedAt } of old) {
    await tx.removeVersion(docId, version);
    await tx.remember({ kind: 'stored', docId, key: sha256, value: savedAt, at: now });
    await tx.addRemoval(blob, now);
  }
}
