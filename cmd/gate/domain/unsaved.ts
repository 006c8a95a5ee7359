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
/** The time that stored documents and awaited files are remembered. */
const MEMORY_MS = 24 * 3_600_000;

/** A file in the editor's quarantine. */
export interface Quarantined {
  docId: string;
  /** The editor's process that has the document open. */
  pid: number;
  sha256: string;
  /** When it was written, by the editor's clock; epoch milliseconds with a fraction. */
  madeAt: number;
  /** Milliseconds since then: the gate's clock may be another. */
  ageMs: number;
}

/** The quarantine removes a file that the gate has, waits while it may still arrive, or sends it. */
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
  /** The time that a save may take to arrive. */
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
export class UnsavedEdits {
  readonly #deps: UnsavedDependencies;
  readonly #timings: UnsavedTimings;
  readonly #kept: Map<string, UnsavedFile>;
  readonly #waiting = new Map<string, number>();
  /** By document and process, when the newest file that was stored was written, and when that was known. */
  readonly #stored = new Map<string, { madeAt: number; at: number }>();

  private constructor(deps: UnsavedDependencies, files: readonly UnsavedFile[]) {
    this.#deps = deps;
    this.#timings = { ...TIMINGS, ...deps.timings };
    this.#kept = new Map(files.map((file) => [toId(file), file]));
  }

  static async open(deps: UnsavedDependencies): Promise<UnsavedEdits> {
    return new UnsavedEdits(deps, await deps.files.list());
  }

  /** Decides what becomes of a file. Files of documents that the gate does not hold stay where they are. */
  async ask(file: Quarantined): Promise<Action> {
    const { rows, saves, clock } = this.#deps;
    const { docId, sha256 } = file;
    this.#forgetOld();
    if (!(await rows.read((tx) => tx.document(docId)))) return 'wait';
    const key = `${docId} ${sha256}`;
    if (await this.#isStored(file)) {
      this.#waiting.delete(key);
      return 'remove';
    }
    const since = this.#waiting.get(key) ?? clock();
    this.#waiting.set(key, since);
    return clock() - since >= this.#timings.grace && !saves.isSaving(docId) ? 'send' : 'wait';
  }

  /**
   * Takes a file in; when it resolves, the file is on disk.
   * @throws {AppError} `bad_request` for bytes with another hash
   */
  async keep({ docId, pid, sha256, ageMs }: Quarantined, content: Readable): Promise<void> {
    const { incoming, files, clock, log } = this.#deps;
    if ([...this.#kept.values()].some((file) => file.docId === docId && file.sha256 === sha256)) return;
    const received = await incoming.receive(content, { maxBytes: Number.POSITIVE_INFINITY });
    if (received.sha256 !== sha256) {
      await incoming.discard(received);
      throw badRequest({ path: 'sha256', message: 'không phải của nội dung này' });
    }
    const file = await files.put({ docId, pid, at: Math.round(clock() - ageMs) }, received);
    this.#kept.set(toId(file), file);
    log.error({ document: docId, unsaved: toId(file), size: file.size }, 'an edit never became a version');
  }

  /** Lists the edits, oldest first, without those that were stored after all. */
  async list(): Promise<Unsaved[]> {
    for (const file of this.#kept.values()) if (await this.#isVersion(file)) await this.#remove(file);
    const sorted = [...this.#kept.values()].sort((one, other) => one.at - other.at);
    return this.#deps.rows.read(async (tx) => {
      const listed: Unsaved[] = [];
      for (const file of sorted) {
        const { key = null, title = null } = (await tx.document(file.docId)) ?? {};
        listed.push({ id: toId(file), doc_id: file.docId, key, title, at: iso(file.at), size: file.size });
      }
      return listed;
    });
  }

  /**
   * Makes a version of an edit, over whatever is current.
   * @throws {AppError} `not_found`; `bad_request` of status 409 while somebody has the document open
   */
  async restore(id: string): Promise<VersionRecord> {
    const { presence, saves, files } = this.#deps;
    const file = this.#find(id);
    if (presence.hasViews(file.docId)) throw new AppError('bad_request', { reason: 'document_open' }, { status: 409 });
    const facts = { timestamp: undefined, autosave: false, final: false, modifiedByUser: true, nonce: null };
    const version = await saves.save({ docId: file.docId, sessionId: null, user: null }, files.read(file), facts);
    if (version === 'conflict') throw new TypeError('a save without a timestamp has no conflict');
    await this.#remove(file);
    return version;
  }

  /** @throws {AppError} `not_found` */
  async discard(id: string): Promise<void> {
    await this.#remove(this.#find(id));
  }

  /** Returns whether there is any of a document, which is then not removed. */
  has(docId: string): boolean {
    return [...this.#kept.values()].some((file) => file.docId === docId);
  }

  #find(id: string): UnsavedFile {
    const file = this.#kept.get(id);
    if (!file) throw new AppError('not_found');
    return file;
  }

  async #remove(file: UnsavedFile): Promise<void> {
    await this.#deps.files.remove(file);
    this.#kept.delete(toId(file));
  }

  async #isVersion(file: Pick<UnsavedFile, 'docId' | 'sha256'>): Promise<boolean> {
    const { recent, rows } = this.#deps;
    if (recent.has(file)) return true;
    const versions = await rows.read((tx) => tx.versions(file.docId));
    return versions.some(({ sha256 }) => sha256 === file.sha256);
  }

  /** Returns whether the gate has the edits of a file, by itself or in a later save of the same loading. */
  async #isStored(file: Quarantined): Promise<boolean> {
    const { loads, clock } = this.#deps;
    const origin = `${file.docId} ${file.pid}`;
    const { madeAt } = this.#stored.get(origin) ?? { madeAt: 0 };
    if (await this.#isVersion(file)) {
      this.#stored.set(origin, { madeAt: Math.max(madeAt, file.madeAt), at: clock() });
      return true;
    }
    const isLoadedSince = (loads.at(file.docId) ?? 0) > clock() - file.ageMs - this.#timings.margin;
    return madeAt > file.madeAt && !isLoadedSince;
  }

  #forgetOld(): void {
    const isOld = (at: number): boolean => apart(this.#deps.clock(), at) > MEMORY_MS;
    for (const [key, at] of this.#waiting) if (isOld(at)) this.#waiting.delete(key);
    for (const [key, { at }] of this.#stored) if (isOld(at)) this.#stored.delete(key);
  }
}

/** Returns the id of an edit: a document does not lose two in one millisecond. */
function toId({ docId, at }: Pick<UnsavedFile, 'docId' | 'at'>): string {
  return `${docId}-${at}`;
}
