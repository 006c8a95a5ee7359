import type { Readable } from 'node:stream';
import { iso } from '../../../src/common/clock.ts';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import type { Common } from './common.ts';
import type { UnsavedRecord, VersionRecord } from './model.ts';
import type { Blobs, RowsReader, RowsTransaction } from './ports.ts';
import type { Presence } from './presence.ts';
import type { Saves } from './saves.ts';
import { dropUpload, takeUpload } from './uploads.ts';
import { getLoadedAt } from './wopi-access.ts';

/** The editor tries again every few seconds, and the gate holds a save for 25 s. */
const TIMINGS: UnsavedTimings = { grace: 60_000, margin: 5_000 };
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

interface Dependencies extends Pick<Common, 'rows' | 'uploads' | 'isSaving' | 'clock' | 'log'> {
  blobs: Blobs;
  saves: Pick<Saves, 'save'>;
  presence: Pick<Presence, 'hasViews'>;
  timings?: Partial<UnsavedTimings>;
}

/** Milliseconds. */
export interface UnsavedTimings {
  /** The time that a save may take to arrive. */
  grace: number;
  /** The uncertainty of the time at which a file was made: a question takes a moment. */
  margin: number;
}

/**
 * Edits that the editor could not store. It copies each save into its quarantine, whose script asks about each file: a
 * file can go when its bytes are current or were stored since, or when a later save of the same loading was stored,
 * which contains it. After a minute the gate takes a file in and keeps it until an administrator decides.
 */
export class UnsavedEdits {
  readonly #deps: Dependencies;
  readonly #timings: UnsavedTimings;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#timings = { ...TIMINGS, ...deps.timings };
  }

  /** Decides what becomes of a file. Files of documents that the gate does not hold stay where they are. */
  async ask(file: Quarantined): Promise<Action> {
    const { rows, isSaving, clock } = this.#deps;
    const { docId, sha256 } = file;
    const awaited = { kind: 'awaited', docId, key: sha256 } as const;
    const found = await rows.read(async (tx) => ({
      document: await tx.document(docId),
      version: await this.#isVersion(tx, { ...file, at: clock() - file.ageMs }),
      isContained: await this.#isContained(tx, file),
      since: (await tx.remembered(awaited))?.at,
      isSaving: await isSaving(docId, tx),
    }));
    if (!found.document) return 'wait';
    if (found.version || found.isContained) {
      await rows.transact(async (tx) => {
        await tx.forget(awaited);
        if (found.version) await this.#rememberStored(tx, file);
      });
      return 'remove';
    }
    const now = clock();
    const { since = now } = found;
    if (found.since === undefined) await rows.transact((tx) => tx.remember({ ...awaited, value: null, at: now }));
    return now - since >= this.#timings.grace && !found.isSaving ? 'send' : 'wait';
  }

  /** Takes a file into the store. @throws {AppError} `bad_request` for bytes with another hash */
  async keep({ docId, pid, sha256, ageMs }: Quarantined, content: Readable): Promise<void> {
    const { rows, uploads, clock, log } = this.#deps;
    const at = Math.round(clock() - ageMs);
    const isKept = async (tx: RowsReader) => (await tx.allUnsaved({ docId })).some((kept) => kept.sha256 === sha256);
    if (await rows.read(isKept)) return;
    const edit = await uploads.store(docId, content, { maxBytes: Number.POSITIVE_INFINITY }, async (tx, uploaded) => {
      if (uploaded.sha256 !== sha256) throw badRequest({ path: 'sha256', message: 'không phải của nội dung này' });
      if (await isKept(tx)) return void (await dropUpload(tx, uploaded.blob, clock()));
      const record = { id: uploaded.blob, docId, pid, at, ...uploaded };
      await takeUpload(tx, uploaded.blob);
      await tx.putUnsaved(record);
      return record;
    });
    if (!edit) return;
    log.error({ document: edit.docId, unsaved: edit.id, size: edit.size }, 'an edit never became a version');
  }

  /** Lists the edits, oldest first, without those that were stored after all. */
  async list(): Promise<Unsaved[]> {
    const { rows } = this.#deps;
    const { stored, listed } = await rows.read(async (tx) => {
      const result: { stored: UnsavedRecord[]; listed: Unsaved[] } = { stored: [], listed: [] };
      for (const edit of await tx.allUnsaved({})) {
        if (await this.#isVersion(tx, edit)) result.stored.push(edit);
        else {
          const { key = null, title = null } = (await tx.document(edit.docId)) ?? {};
          result.listed.push({ id: edit.id, doc_id: edit.docId, key, title, at: iso(edit.at), size: edit.size });
        }
      }
      return result;
    });
    for (const edit of stored) await this.#remove(edit);
    return listed;
  }

  /**
   * Makes a version of an edit, over the current one.
   * @throws {AppError} `not_found`; `bad_request` of status 409 while somebody has the document open
   */
  async restore(id: string): Promise<VersionRecord> {
    const { presence, saves, blobs } = this.#deps;
    const edit = await this.#find(id);
    if (presence.hasViews(edit.docId)) throw new AppError('bad_request', { reason: 'document_open' }, { status: 409 });
    const facts = { timestamp: undefined, autosave: false, final: false, modifiedByUser: true, nonce: null };
    const content = blobs.read(edit);
    const saver = { docId: edit.docId, sessionId: null, user: null };
    const request = { admit: async () => saver, open: () => content };
    const version = await saves.save(edit.docId, request, facts).finally(() => content.destroy());
    if (version === 'conflict') throw new TypeError('a save without a timestamp has no conflict');
    await this.#remove(edit);
    return version;
  }

  /** @throws {AppError} `not_found` */
  async discard(id: string): Promise<void> {
    await this.#remove(await this.#find(id));
  }

  async #find(id: string): Promise<UnsavedRecord> {
    const edit = await this.#deps.rows.read((tx) => tx.unsaved(id));
    if (!edit) throw new AppError('not_found');
    return edit;
  }

  async #remove({ id, blob }: UnsavedRecord): Promise<void> {
    await this.#deps.rows.transact(async (tx) => {
      await tx.removeUnsaved(id);
      await tx.addRemoval(blob, this.#deps.clock());
    });
  }

  /**
   * Returns whether an edit’s bytes are current, or were stored within a day after it was made. An earlier version with
   * the same bytes does not count: a text that was changed back is another edit.
   */
  async #isVersion(
    tx: RowsReader,
    { docId, sha256, at }: Pick<UnsavedRecord, 'docId' | 'sha256' | 'at'>,
  ): Promise<boolean> {
    const since = at - this.#timings.margin;
    const gone = await tx.remembered({ kind: 'stored', docId, key: sha256 });
    if (gone && (gone.value ?? gone.at) >= since) return true;
    const versions = await tx.versions(docId);
    return versions.some(
      (version) => version.sha256 === sha256 && (version === versions.at(-1) || version.savedAt >= since),
    );
  }

  /** Returns whether a later save of the same loading was stored, which has the edits of a file. */
  async #isContained(tx: RowsReader, { docId, pid, madeAt, ageMs }: Quarantined): Promise<boolean> {
    const newest = await tx.remembered({ kind: 'quarantined', docId, key: String(pid) });
    const isLoadedSince = ((await getLoadedAt(tx, docId)) ?? 0) > this.#deps.clock() - ageMs - this.#timings.margin;
    return (newest?.value ?? 0) > madeAt && !isLoadedSince;
  }

  async #rememberStored(tx: RowsTransaction, { docId, pid, madeAt }: Quarantined): Promise<void> {
    const what = { kind: 'quarantined', docId, key: String(pid) } as const;
    const before = (await tx.remembered(what))?.value ?? 0;
    await tx.remember({ ...what, value: Math.max(before, madeAt), at: this.#deps.clock() });
  }
}
