import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Audit } from '../../../src/common/audit.ts';
import { apart, type Clock } from '../../../src/common/clock.ts';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import { atMost } from '../../../src/common/pause.ts';
import type { BlobKeeper } from './blob-keeper.ts';
import type { VersionLink } from './callback-body.ts';
import type { VersionRecord } from './model.ts';
import type { Blobs, EditorSample, Presence, Rows } from './ports.ts';
import { type Replay, replayable } from './replay.ts';
import { type Committed, commitSave, type SaveFacts, type Saver } from './save-transaction.ts';
import { createSlabs } from './slabs.ts';
import { createTimedKeys } from './timed-keys.ts';

export interface Saves {
  /**
   * Stores a new version. When this resolves, its bytes, its row and its callback are on disk. Trouble of the store is
   * waited out for up to 25 s, since the editor gives up changes over an error much sooner than over a slow answer.
   * @param gone aborts when nobody waits for it any more; it is stored all the same
   * @returns the version, or `conflict` when the save began from another one than the current; the current version for
   * a repeat of its bytes that nobody asked for
   * @throws {AppError} `bad_request` for content that is empty, stalls or breaks off, `file_too_large`, 503
   */
  save(session: Saver, content: Readable, facts: SaveFacts, gone?: AbortSignal): Promise<VersionRecord | 'conflict'>;
  /** Whether a save of a document is under way, or has just failed in a way that has it tried again. */
  saving(docId: string): boolean;
  /** Resolves once there has been none for a moment: the last ones have their answers. */
  ended(): Promise<void>;
  /**
   * Whether a save has just failed because of the gate, its connection broke, or it is still being stored though nobody
   * waits for it any more. The editor then asks for CheckFileInfo, and an answer with the old size would be a conflict
   * to it, which ends its attempts: without any answer it goes on trying. Saves under way are waited for, up to a second:
   * one may have broken off, or be stored in a moment.
   */
  troubled(docId: string): Promise<boolean>;
  /**
   * Takes in who has which document open. A save that broke off is not tried again by an editor that has the document
   * open no more, as when it was killed: then the document can be opened.
   */
  observe(sample: Pick<EditorSample, 'at' | 'views'>): void;
  /** Whether a save that broke off is waited for, so that a sample is needed soon. */
  isAwaited(): boolean;
}

export interface SavesDependencies {
  rows: Rows;
  blobs: Blobs;
  keeper: BlobKeeper;
  presence: Pick<Presence, 'users'>;
  link: VersionLink;
  /** Called when there is a new callback. */
  onDelivery: () => void;
  /** Called with each version that is new. */
  onStored: (version: Pick<VersionRecord, 'docId' | 'sha256'>) => void;
  maxBytes: number;
  clock: Clock;
  log: Logger;
  audit: Audit;
  timings?: Partial<SaveTimings>;
}

/** Milliseconds. */
interface SaveTimings {
  /** How long trouble of the store is waited out; the editor waits 30 s for an answer. */
  hold: number;
  retry: number;
  /** Without a byte, after which content has stalled. */
  idle: number;
  /** How long a failed save is remembered. */
  trouble: number;
}

const TIMINGS: SaveTimings = { hold: 25_000, retry: 500, idle: 30_000, trouble: 60_000 };
/** Without a save, after which there are none: one may stand before its beginning, or its answer be on its way. */
const QUIET_MS = 2_000;
const LOOK_MS = 100;
/** Without a view of a document, after which its save is not tried again: the editor's list may lag behind. */
const ABSENT_MS = 3_000;
/** How long saves under way are waited for before it is told how they stand. */
const WAIT_MS = 1_000;
/** Bytes that all saves together may keep in memory, to write them again. */
const REPLAY_BYTES = 32 * 1024 * 1024;

/** The saves of embedded documents (contract: States, "a save is made"). */
export function createSaves(deps: SavesDependencies): Saves {
  const { rows, blobs, keeper, presence, link, maxBytes, clock, log, audit } = deps;
  const timings = { ...TIMINGS, ...deps.timings };
  const underWay = new Map<string, Set<UnderWay>>();
  const trouble = createTimedKeys(timings.trouble);
  /** Of documents whose last save broke off: since when nobody has them open. */
  const brokenOff = new Map<string, number | undefined>();
  const slabs = createSlabs(REPLAY_BYTES);

  /** The bytes, then all that follows from them. Bytes that came to nothing are orphans, for the cleaning. */
  async function store(session: Saver, replay: Replay, facts: SaveFacts): Promise<Committed | 'conflict'> {
    const hold: Hold = { until: undefined };
    const canRepeat = () => !replay.failed() && replay.repeatable();
    return keeper.writing(async (claim) => {
      const blob = await holding(hold, canRepeat, () => blobs.write(replay.open(), maxBytes, claim));
      const useless = () => void keeper.discard([blob.sha256]).catch(() => {});
      if (blob.size === 0) {
        useless();
        throw badRequest({ path: '', message: 'tài liệu không bao giờ rỗng' });
      }
      const commit = () =>
        rows.transact((tx) => commitSave(tx, { session, blob, facts, now: clock() }, { presence, link }));
      const outcome = await holding(hold, () => true, commit);
      if (outcome === 'conflict') useless();
      return outcome;
    });
  }

  /** Tries again while the store is in trouble, as long as `again` allows it and the time lasts. */
  async function holding<Result>(hold: Hold, again: () => boolean, work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof AppError) throw error;
        // Of the machine and not of the rules: real time, whatever the clock says.
        hold.until ??= performance.now() + timings.hold;
        const goOn = again() && performance.now() < hold.until;
        log.error({ err: error, again: goOn }, 'a save could not be stored');
        if (!goOn) throw new AppError('internal', {}, { status: 503, cause: error });
        await sleep(timings.retry);
      }
    }
  }

  /** Waits for saves under way: the editor asks for CheckFileInfo as soon as its connection was cut. */
  async function over(docId: string): Promise<void> {
    const saves = [...(underWay.get(docId) ?? [])].map((save) => save.over.promise);
    if (saves.length > 0) await atMost(WAIT_MS, Promise.all(saves));
  }

  function isOwed(docId: string): boolean {
    trouble.expire(clock());
    const isOwing = ({ replay, gone }: UnderWay) => replay.failed() || gone?.aborted;
    return trouble.has(docId) || [...(underWay.get(docId) ?? [])].some(isOwing);
  }

  return {
    async save(session, content, facts, gone) {
      const { docId } = session;
      const replay = replayable(content, slabs, timings.idle);
      const mine: UnderWay = { replay, gone, over: Promise.withResolvers() };
      const others = underWay.get(docId) ?? new Set();
      underWay.set(docId, others.add(mine));
      try {
        const outcome = await store(session, replay, facts);
        trouble.remove(docId);
        if (outcome === 'conflict') {
          log.warn(
            { document: docId, session: session.sessionId },
            'a save was based on a version other than the current one',
          );
          return outcome;
        }
        const { version, isNew, called, removed } = outcome;
        void keeper.discard(removed).catch((error) => log.error({ err: error }, 'unused files could not be removed'));
        if (called) deps.onDelivery();
        deps.onStored(version);
        const { size, autosave, final } = version;
        const told = { document: docId, session: session.sessionId, version: version.version, size, autosave, final };
        log.info(told, isNew ? 'document saved' : 'the current version was uploaded again');
        if (isNew) audit.record('document.saved', told);
        return version;
      } catch (error) {
        const isOurs = error instanceof AppError && error.status === 503;
        if (replay.failed()) brokenOff.set(docId, undefined);
        else if (isOurs) brokenOff.delete(docId);
        if (replay.failed() || isOurs) trouble.add(docId, clock());
        throw error;
      } finally {
        replay.end();
        others.delete(mine);
        if (others.size === 0) underWay.delete(docId);
        mine.over.resolve();
      }
    },

    saving: (docId) => underWay.has(docId) || isOwed(docId),

    observe({ at, views }) {
      const open = new Set(views.map(({ docId }) => docId));
      trouble.expire(clock());
      for (const [docId, since = at] of brokenOff) {
        brokenOff.set(docId, open.has(docId) ? undefined : since);
        if (!open.has(docId) && apart(at, since) >= ABSENT_MS) trouble.remove(docId);
        if (!trouble.has(docId)) brokenOff.delete(docId);
      }
    },

    isAwaited: () => brokenOff.size > 0,

    async ended() {
      for (let quiet = 0; quiet < QUIET_MS; quiet = underWay.size > 0 ? 0 : quiet + LOOK_MS) {
        await sleep(LOOK_MS, undefined, { ref: false });
      }
    },

    async troubled(docId) {
      await over(docId);
      return isOwed(docId);
    },
  };
}

/** A save that has not ended. */
interface UnderWay {
  replay: Replay;
  /** Aborted: nobody waits for it any more. */
  gone: AbortSignal | undefined;
  /** Resolves when it has ended, well or not. */
  over: PromiseWithResolvers<void>;
}

/** When to stop trying: set with the first trouble. */
interface Hold {
  /** By `performance.now()`. */
  until: number | undefined;
}
