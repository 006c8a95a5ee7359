import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../src/common/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import { atMost } from '../../../src/common/pause.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';
import type { Common } from './common.ts';
import type { VersionRecord } from './model.ts';
import type { Attempt, RowsReader } from './ports.ts';
import type { Presence } from './presence.ts';
import { commitSave, type SaveFacts, type Saver } from './save-transaction.ts';
import { UnresolvedSaves } from './unresolved-saves.ts';
import { BrokenOff, type StoreOptions } from './uploads.ts';

export interface SavesDependencies extends Omit<Common, 'isSaving'> {
  presence: Pick<Presence, 'users'>;
  timings?: Partial<SaveTimings>;
}

/** Milliseconds. */
interface SaveTimings {
  /** The time for which a save is tried again while the store fails; the editor waits 30 s for an answer. */
  holdMs: number;
  retryMs: number;
  /** See `ReceiveOptions`. */
  idleMs?: number;
  /** The time for which a failed save is expected again. */
  unresolvedMs: number;
}

const TIMINGS: SaveTimings = { holdMs: 25_000, retryMs: 500, unresolvedMs: 60_000 };
/** The time without a save after which the gate may stop: another may begin, or an answer be on its way. */
const QUIET_MS = 2_000;
const POLL_MS = 100;
/** The time for which CheckFileInfo waits for saves under way. */
const WAIT_MS = 1_000;

interface UnderWay {
  docId: string;
  /** Aborts when nobody waits for the answer any more. */
  gone: AbortSignal | undefined;
  ended: PromiseWithResolvers<void>;
}

/** The saves of embedded documents (contract: States, "a save is made"). */
export class Saves {
  readonly #deps: SavesDependencies;
  readonly #timings: SaveTimings;
  readonly #underWay = new Set<UnderWay>();
  readonly unresolved: UnresolvedSaves;

  constructor(deps: SavesDependencies) {
    this.#deps = deps;
    this.#timings = { ...TIMINGS, ...deps.timings };
    this.unresolved = new UnresolvedSaves({ ...deps, keepMs: this.#timings.unresolvedMs });
  }

  /**
   * Stores a new version. When this resolves, its bytes, its row and its callback are on disk. While the store fails,
   * the look-up of the session and the save wait for up to 25 s in all, since the editor gives up changes much sooner
   * after an error than after a slow answer.
   * @param request.admit looks up the session
   * @param request.open returns the content
   * @param gone aborts when nobody waits for the answer any more; the content is stored all the same
   * @returns the version; `conflict` when the save began from a version other than the current one and has other bytes;
   *   the current version for a repeat of its bytes that nobody asked for
   * @throws {AppError} `bad_request` for content that is empty, stalls or breaks off; `file_too_large`; 503; what `admit`
   *   and `open` throw
   */
  async save(
    docId: string,
    { admit, open }: { admit: () => Promise<Saver>; open: () => Readable },
    facts: SaveFacts,
    gone?: AbortSignal,
  ): Promise<VersionRecord | 'conflict'> {
    const { uploads, log, onDelivery } = this.#deps;
    const save: UnderWay = { docId, gone, ended: Promise.withResolvers() };
    this.#underWay.add(save);
    const attempt = retryFor(this.#timings, log);
    try {
      const session = await attempt(admit).catch(async (error) => {
        // A refusal has no cause; an `Unavailable` has one.
        if (error instanceof AppError && error.cause !== undefined) await uploads.fail(docId);
        throw error;
      });
      return await this.#store(session, open(), facts, { gone, attempt });
    } catch (thrown) {
      const error = thrown instanceof AppError ? thrown : new AppError('internal', {}, { status: 503, cause: thrown });
      if (error instanceof BrokenOff) this.unresolved.isSampleNeeded = true;
      // The version may be there, with its callback: only the answer to the commit may have been lost.
      if (error.status === 503) onDelivery();
      throw error;
    } finally {
      this.#underWay.delete(save);
      save.ended.resolve();
    }
  }

  async #store(
    session: Saver,
    content: Readable,
    facts: SaveFacts,
    how: Pick<StoreOptions, 'gone' | 'attempt'>,
  ): Promise<VersionRecord | 'conflict'> {
    const { uploads, maxBytes, clock, onDelivery, log, audit } = this.#deps;
    const { docId, sessionId } = session;
    const options = { isSave: true, maxBytes, idleMs: this.#timings.idleMs, ...how };
    const outcome = await uploads.store(docId, content, options, async (tx, uploaded) => {
      const isAwaited = !how.gone?.aborted;
      const committed = await commitSave(tx, { session, uploaded, facts, now: clock(), isAwaited }, this.#deps);
      await uploads.resolve(tx, docId, isAwaited);
      return committed;
    });
    if (outcome === 'conflict') {
      log.warn({ document: docId, session: sessionId }, 'a save was based on a version other than the current one');
      return 'conflict';
    }
    const { version, isNew, called } = outcome;
    if (called) onDelivery();
    const { size, autosave, final } = version;
    const saved = { document: docId, session: sessionId, version: version.version, size, autosave, final };
    log.info(saved, isNew ? 'document saved' : 'the current version was uploaded again');
    if (isNew) audit.record('document.saved', saved);
    return version;
  }

  /**
   * Returns whether a save has just failed, broken off, or is still being stored although nobody waits for it. The
   * editor then asks for CheckFileInfo and takes the old size for a conflict, which ends its attempts; without an
   * answer it goes on trying. Waits up to a second for saves under way.
   */
  async hasUnresolvedSave(docId: string): Promise<boolean> {
    const own = this.#getUnderWay(docId);
    if (own.length > 0) await atMost(WAIT_MS, Promise.all(own.map(({ ended }) => ended.promise)));
    return this.#getUnderWay(docId).some(({ gone }) => gone?.aborted) || this.unresolved.has(docId);
  }

  /** Returns whether a save of a document is under way or unresolved, at any gate. */
  async isSaving(docId: string, tx: RowsReader): Promise<boolean> {
    return this.#getUnderWay(docId).length > 0 || this.unresolved.isExpected(tx, docId);
  }

  #getUnderWay(docId: string): UnderWay[] {
    return [...this.#underWay].filter((save) => save.docId === docId);
  }

  /** Resolves once there has been no save for a moment. */
  async waitUntilQuiet(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_MS; quiet = this.#underWay.size > 0 ? 0 : quiet + POLL_MS) {
      await sleep(POLL_MS, undefined, { ref: false });
    }
  }
}

/**
 * Returns a function that repeats work while it fails, for `holdMs` in all. Time counts from the beginning of an
 * attempt that failed; time in which nothing fails does not count. An `AppError` other than `Unavailable` ends the
 * attempts.
 * @throws {AppError} 503 when the time is over
 */
export function retryFor(
  { holdMs, retryMs }: { holdMs: number; retryMs: number },
  log: Pick<Logger, 'error'>,
): Attempt {
  let left = holdMs;
  return async (work) => {
    // A monotonic clock: the disk does not care what time it is.
    const begin = performance.now();
    let late: AbortSignal | undefined;
    for (;;) {
      try {
        const result = await work(late);
        if (late) left -= performance.now() - begin;
        return result;
      } catch (error) {
        if (error instanceof AppError && !(error instanceof Unavailable)) throw error;
        const rest = begin + left - performance.now();
        const again = rest > 0;
        late ??= AbortSignal.timeout(Math.max(0, Math.ceil(rest)));
        log.error({ err: error instanceof Unavailable ? error.cause : error, again }, 'a save could not be stored');
        if (!again) throw new AppError('internal', {}, { status: 503, cause: error });
        await sleep(retryMs);
      }
    }
  };
}
