import { apart, type Clock } from '../../../src/common/clock.ts';
import type { GateStatus } from '../../../src/common/generated/wire.ts';
import { COUNTING } from '../../../src/common/plan.ts';
import {
  createForeignReservations,
  type ForeignConnection,
  type ForeignReservations,
  type ForeignState,
} from './foreign.ts';
import type { EditorSample, EditorView } from './ports.ts';
import { TimedKeys } from './timed-keys.ts';

/** The time that a place, and its document, is kept for somebody who was let in and has not been seen yet. */
export const PENDING_MS = 60_000;
const HOLD_MS = COUNTING.reconnect_grace_seconds * 1000;
const PEAK_MS = COUNTING.peak_window_seconds * 1000;
/** After this the editor is not expected to forget a view that was given up. */
const FREEING_MS = COUNTING.sample_interval_seconds * 1000;
/** The time that the editor may take to list the view of a WebSocket that was let in. */
const LISTED_MS = 5_000;
/** A sample older than this says nothing about now: six were missed. */
const STALE_MS = 6 * COUNTING.sample_interval_seconds * 1000;

export type AdmissionAnswer = { admitted: true } | { admitted: false; limit: number; current: number; pending: number };

/** The whole state, as JSON. */
export interface CountingState {
  /** The figures of the last sample. */
  sample: { at: number; readonly: number; views: number; documents: number } | null;
  seen: string[];
  released: string[];
  releasedAt: number;
  held: [key: string, end: number][];
  pending: [key: string, end: number][];
  opening: [key: string, at: number][];
  foreign: ForeignState;
  peaks: { at: number; current: number }[];
}

/**
 * Counts editing connections and decides whether there is room for one more (contract: Connections and embedding;
 * design: one connection). A session counts once, whatever number of views it has; on another WOPI host, a user does. A
 * place is reserved for 60 s, in use while the editor lists an editing view of it, then held for 120 s, which restart
 * when its owner is admitted again. A released place is free once a sample shows that its view has gone. A lowered
 * limit takes no place away. Without a recent sample everybody is admitted. `toJSON` is the whole state, so that
 * several gates can share it.
 */
export class Counting {
  readonly #limit: () => number;
  readonly #clock: Clock;
  #sample: CountingState['sample'];
  #seen: ReadonlySet<string>;
  /** Sessions that gave their place up while they were seen or about to be. */
  readonly #released: Set<string>;
  #releasedAt: number;
  readonly #held: TimedKeys;
  readonly #pending: TimedKeys;
  /** When the WebSocket of a pending session was admitted. */
  readonly #opening: Map<string, number>;
  readonly #foreign: ForeignReservations;
  #peaks: CountingState['peaks'];

  /** @param options.limit returns the editing connections in force */
  constructor(options: { limit: () => number; clock: Clock }, stored?: CountingState) {
    this.#limit = options.limit;
    this.#clock = options.clock;
    this.#sample = stored?.sample ?? null;
    this.#seen = new Set(stored?.seen);
    this.#released = new Set(stored?.released);
    this.#releasedAt = stored?.releasedAt ?? 0;
    this.#held = new TimedKeys(HOLD_MS, stored?.held);
    this.#pending = new TimedKeys(PENDING_MS, stored?.pending);
    this.#opening = new Map(stored?.opening);
    this.#foreign = createForeignReservations(PENDING_MS, stored?.foreign);
    this.#peaks = stored?.peaks ?? [];
  }

  toJSON(): CountingState {
    return {
      sample: this.#sample,
      seen: [...this.#seen],
      released: [...this.#released],
      releasedAt: this.#releasedAt,
      held: this.#held.toJSON(),
      pending: this.#pending.toJSON(),
      opening: [...this.#opening],
      foreign: this.#foreign.toJSON(),
      peaks: this.#peaks,
    };
  }

  /** Reserves a place for a session that is to edit. Asking again only renews that. */
  admit(sessionId: string): AdmissionAnswer {
    this.#expire();
    this.#released.delete(sessionId);
    if (this.#takesSeat(sessionId)) return { admitted: true };
    if (!this.#pending.has(sessionId) && !this.#hasRoom(this.#takenByOwn())) return this.#refuse();
    this.#pending.add(sessionId, this.#clock());
    return { admitted: true };
  }

  /** Does the same for a session's WebSocket: from then on only a sample of the editor frees its place. */
  admitSocket(sessionId: string): AdmissionAnswer {
    const answer = this.admit(sessionId);
    if (this.#pending.has(sessionId)) this.#opening.set(sessionId, this.#clock());
    return answer;
  }

  /** Does the same for a connection to a document of another WOPI host. */
  admitForeign(connection: ForeignConnection): AdmissionAnswer {
    this.#expire();
    const user = this.#foreign.findUser(connection);
    if (user !== undefined && this.#takesSeat(user)) return { admitted: true };
    const isNew = !this.#foreign.has(connection);
    if (isNew && !this.#hasRoom(this.#takenByOwn() + this.#foreign.size())) return this.#refuse();
    // Without a sample all are admitted, and anybody may ask: the reservations are limited.
    if (!isNew || this.#foreign.size() < this.#limit()) this.#foreign.reserve(connection, this.#clock());
    return { admitted: true };
  }

  /** Gives a session's place back: it is a view now, or it was deleted. A view that is still open keeps counting. */
  release(sessionId: string): void {
    this.#expire();
    this.#held.delete(sessionId);
    if (!this.#opening.has(sessionId)) this.#pending.delete(sessionId);
    if (!this.#seen.has(sessionId) && !this.#opening.has(sessionId)) return;
    this.#released.add(sessionId);
    this.#releasedAt = this.#clock();
  }

  /** Returns whether a session has a place: reserved, in use, or kept for its return. */
  hasPlace(sessionId: string): boolean {
    this.#expire();
    return this.#hasSeat(sessionId) || this.#pending.has(sessionId);
  }

  /** Returns whether anybody is counted on a document of another WOPI host. */
  hasForeign(wopiSrc: string): boolean {
    const start = foreignKey(wopiSrc, '');
    return [...this.#seen, ...this.#held.keys()].some((key) => key.startsWith(start));
  }

  isFull(): boolean {
    this.#expire();
    return !this.#hasRoom(this.#takenByOwn());
  }

  /** Returns whether all places are taken and one of them was given up a moment ago: the next sample can free it. */
  isFreeing(): boolean {
    return this.#released.size > 0 && apart(this.#clock(), this.#releasedAt) <= FREEING_MS && this.isFull();
  }

  observe({ at, views, documents }: EditorSample): void {
    this.#expire();
    const now = new Set(views.filter((view) => !view.readonly).map(connectionKey));
    for (const key of this.#seen) if (!now.has(key) && !this.#released.has(key)) this.#held.add(key, at);
    for (const key of now) {
      this.#held.delete(key);
      this.#removePending(key);
    }
    for (const key of this.#released) {
      if (now.has(key) || at - (this.#opening.get(key) ?? 0) < LISTED_MS) continue;
      this.#removePending(key);
      this.#released.delete(key);
    }
    this.#seen = now;
    const readonly = views.filter((view) => view.readonly).length;
    this.#sample = { at, readonly, views: views.length, documents };
    const foreign = views.filter((view) => view.docId === null);
    this.#foreign.match(
      foreign.map((view) => ({ ...view, key: connectionKey(view) })),
      (key) => this.#hasSeat(key),
    );
    const peaks = this.#peaks.filter((peak) => peak.at > at - PEAK_MS && peak.at <= at);
    this.#peaks = [...peaks, { at, current: this.#current() }];
  }

  /** Returns the figures of `GET /svc/status` (contract: Gate status). */
  figures(): GateStatus['connections'] {
    this.#expire();
    const since = this.#clock() - PEAK_MS;
    const sample = this.#sample;
    const peaks = this.#peaks.filter(({ at }) => at > since).map(({ current }) => current);
    return {
      current: this.#current(),
      pending: this.#pending.size + this.#foreign.size(),
      peak_5m: Math.max(this.#current(), ...peaks),
      limit: this.#limit(),
      readonly: sample?.readonly ?? 0,
      views_total: sample?.views ?? 0,
      documents: sample?.documents ?? 0,
      limit_reached: this.#takenByOwn() >= this.#limit(),
      enforcing: this.#isEnforcing(),
      sample_age_seconds: sample ? Math.max(0, Math.floor((this.#clock() - sample.at) / 1000)) : null,
    };
  }

  #expire(): void {
    const now = this.#clock();
    this.#held.expire(now);
    this.#pending.expire(now);
    for (const key of this.#opening.keys()) if (!this.#pending.has(key)) this.#opening.delete(key);
    this.#foreign.expire(now);
  }

  #current(): number {
    return this.#seen.size + this.#held.size;
  }

  /**
   * Returns the places that a session of ours cannot get. Reservations on other hosts do not count: with made-up tokens
   * anybody could keep everybody out.
   */
  #takenByOwn(): number {
    return this.#current() + this.#pending.size;
  }

  #isEnforcing(): boolean {
    return this.#sample !== null && apart(this.#clock(), this.#sample.at) <= STALE_MS;
  }

  #hasRoom(taken: number): boolean {
    return !this.#isEnforcing() || taken < this.#limit();
  }

  #hasSeat(key: string): boolean {
    return this.#seen.has(key) || this.#held.has(key);
  }

  /** Returns whether it has a place; a held one is held anew, until the editor lists its returning owner. */
  #takesSeat(key: string): boolean {
    if (this.#seen.has(key)) return true;
    if (!this.#held.has(key)) return false;
    this.#held.add(key, this.#clock());
    return true;
  }

  #refuse(): AdmissionAnswer {
    const { limit, current, pending } = this.figures();
    return { admitted: false, limit, current, pending };
  }

  #removePending(key: string): void {
    this.#pending.delete(key);
    this.#opening.delete(key);
  }
}

/** Returns the key that a view counts by: our session, which is the editor's user id, or a user of another host. */
function connectionKey({ docId, wopiSrc, userId, viewId }: EditorView): string {
  if (docId === null) return foreignKey(wopiSrc, userId || `view ${viewId}`);
  return userId || `${docId} ${viewId}`;
}

function foreignKey(wopiSrc: string, user: string): string {
  return `${wopiSrc}\n${user}`;
}
