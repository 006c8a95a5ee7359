import type { Readable } from 'node:stream';
import { apart, type Clock, iso } from '../../../src/common/clock.ts';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Loads } from './loads.ts';
import type { VersionRecord } from './model.ts';
import type { Incoming, Presence, Rows, UnsavedFile, UnsavedFiles } from './ports.ts';
import type { Saves } from './saves.ts';
import { createTimedKeys } from './timed-keys.ts';

/** The editor tries again every few seconds, and the gate holds a save for 25 s. */
const TIMINGS: UnsavedTimings = { grace: 60_000, margin: 5_000 };
/** For how long it is remembered which documents were stored, and which files are waited for. */
const MEMORY_MS = 24 * 3_600_000;

/** A file in the editor's quarantine. */
export interface Quarantined {
  docId: string;
  /** Of the process that has the document open. */
  pid: number;
  sha256: string;
  /** When it was written, by the editor's clock; epoch milliseconds with a fraction. */
  madeAt: number;
  /** Milliseconds since then: the gate's clock may be another. */
  ageMs: number;
}

/** What the quarantine does with a file: the gate has it, may get it yet, or wants it. */
export type Action = 'remove' | 'wait' | 'send';

/** An edit that never became a version, as it is listed. */
export interface Unsaved {
  id: string;
  doc_id: string;
  key: string | null;
  title: string | null;
  at: string;
  size: number;
}

export interface UnsavedEdits {
  /** Tells what is to become of a file. Files of documents that the gate does not hold stay where they are. */
  ask(file: Quarantined): Promise<Action>;
  /**
   * Takes a file in; when it resolves, it is on disk.
   * @throws {AppError} `bad_request` for other bytes than it was to have
   */
  keep(file: Quarantined, content: Readable): Promise<void>;
  /** Oldest first, without those that were stored after all. */
  list(): Promise<Unsaved[]>;
  /**
   * Makes a version of one, over whatever is current.
   * @throws {AppError} `not_found`; `bad_request` of status 409 while somebody has the document open
   */
  restore(id: string): Promise<VersionRecord>;
  /** @throws {AppError} `not_found` */
  discard(id: string): Promise<void>;
  /** Whether there is any of a document, which is then not removed. */
  has(docId: string): boolean;
}

export interface UnsavedDependencies {
  rows: Rows;
  files: UnsavedFiles;
  incoming: Incoming;
  saves: Pick<Saves, 'save' | 'isSaving'>;
  presence: Pick<Presence, 'hasViews'>;
  loads: Pick<Loads, 'at'>;
  /** Versions that were stored within a day, of which the older ones are gone by now. */
  recent: StoredVersions;
  clock: Clock;
  log: Logger;
  timings?: Partial<UnsavedTimings>;
}

/** Milliseconds. */
export interface UnsavedTimings {
  /** How long a save may take to arrive. */
  grace: number;
  /** How well it is known when a file was made: a question takes a moment. */
  margin: number;
}

/** Remembers versions by their bytes. */
export interface StoredVersions {
  add(version: Pick<VersionRecord, 'docId' | 'sha256'>): void;
  has(version: Pick<VersionRecord, 'docId' | 'sha256'>): boolean;
}

/** In memory: after a restart of the gate only those count that it still has. */
export function createStoredVersions(clock: Clock): StoredVersions {
  const keys = createTimedKeys(MEMORY_MS);
  return {
    add({ docId, sha256 }) {
      keys.expire(clock());
      keys.add(`${docId} ${sha256}`, clock());
    },
    has: ({ docId, sha256 }) => keys.has(`${docId} ${sha256}`),
  };
}

/**
 * The edits that the editor could not store. The editor puts a copy of every save into its quarantine, so each file is
 * asked about: it can go when a version has its bytes, or when a later save of the same loading of its document was
 * stored, which contains it. What has not come within a minute is taken in and kept until somebody decides.
 */
export async function createUnsaved(deps: UnsavedDependencies): Promise<UnsavedEdits> {
  const { rows, files, incoming, saves, presence, loads, recent, clock, log } = deps;
  const { grace, margin } = { ...TIMINGS, ...deps.timings };
  const kept = new Map((await files.list()).map((file) => [idOf(file), file]));
  const waiting = new Map<string, number>();
  /** By document and process, the newest file that was stored: when it was written, and when that was known. */
  const stored = new Map<string, { madeAt: number; at: number }>();

  function forgetOld(): void {
    const isOld = (at: number): boolean => apart(clock(), at) > MEMORY_MS;
    for (const [key, at] of waiting) if (isOld(at)) waiting.delete(key);
    for (const [key, { at }] of stored) if (isOld(at)) stored.delete(key);
  }

  async function isVersion(file: Pick<UnsavedFile, 'docId' | 'sha256'>): Promise<boolean> {
    if (recent.has(file)) return true;
    return rows.transact((tx) => tx.versions(file.docId).some(({ sha256 }) => sha256 === file.sha256));
  }

  /** Whether the gate has what is in a file, by itself or in a later save of the same loading. */
  async function isStored(file: Quarantined): Promise<boolean> {
    const origin = `${file.docId} ${file.pid}`;
    const { madeAt } = stored.get(origin) ?? { madeAt: 0 };
    if (await isVersion(file)) {
      stored.set(origin, { madeAt: Math.max(madeAt, file.madeAt), at: clock() });
      return true;
    }
    const isLoadedSince = (loads.at(file.docId) ?? 0) > clock() - file.ageMs - margin;
    return madeAt > file.madeAt && !isLoadedSince;
  }

  function found(id: string): UnsavedFile {
    const file = kept.get(id);
    if (!file) throw new AppError('not_found');
    return file;
  }

  async function remove(file: UnsavedFile): Promise<void> {
    await files.remove(file);
    kept.delete(idOf(file));
  }

  return {
    async ask(file) {
      const { docId, sha256 } = file;
      forgetOld();
      if (!(await rows.transact((tx) => tx.document(docId)))) return 'wait';
      const key = `${docId} ${sha256}`;
      if (await isStored(file)) {
        waiting.delete(key);
        return 'remove';
      }
      const since = waiting.get(key) ?? clock();
      waiting.set(key, since);
      return clock() - since >= grace && !saves.isSaving(docId) ? 'send' : 'wait';
    },

    async keep({ docId, pid, sha256, ageMs }, content) {
      if ([...kept.values()].some((file) => file.docId === docId && file.sha256 === sha256)) return;
      const received = await incoming.receive(content, { maxBytes: Number.POSITIVE_INFINITY });
      if (received.sha256 !== sha256) {
        await incoming.discard(received);
        throw badRequest({ path: 'sha256', message: 'không phải của nội dung này' });
      }
      const file = await files.put({ docId, pid, at: Math.round(clock() - ageMs) }, received);
      kept.set(idOf(file), file);
      log.error({ document: docId, unsaved: idOf(file), size: file.size }, 'an edit never became a version');
    },

    async list() {
      for (const file of kept.values()) if (await isVersion(file)) await remove(file);
      const sorted = [...kept.values()].sort((one, other) => one.at - other.at);
      return rows.transact((tx) =>
        sorted.map((file) => {
          const { key = null, title = null } = tx.document(file.docId) ?? {};
          return { id: idOf(file), doc_id: file.docId, key, title, at: iso(file.at), size: file.size };
        }),
      );
    },

    async restore(id) {
      const file = found(id);
      if (presence.hasViews(file.docId))
        throw new AppError('bad_request', { reason: 'document_open' }, { status: 409 });
      const facts = { timestamp: undefined, autosave: false, final: false, modifiedByUser: true, nonce: null };
      const version = await saves.save({ docId: file.docId, sessionId: null, user: null }, files.read(file), facts);
      if (version === 'conflict') throw new TypeError('a save without a timestamp has no conflict');
      await remove(file);
      return version;
    },

    discard: (id) => remove(found(id)),
    has: (docId) => [...kept.values()].some((file) => file.docId === docId),
  };
}

/** A document does not lose two edits in one millisecond. */
function idOf({ docId, at }: Pick<UnsavedFile, 'docId' | 'at'>): string {
  return `${docId}-${at}`;
}
