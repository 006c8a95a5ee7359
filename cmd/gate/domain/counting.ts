import { setTimeout as pause } from 'node:timers/promises';
import { apart, type Clock } from '../../../src/common/clock.ts';
import { COUNTING } from '../../../src/common/plan.ts';
import { createForeignReservations } from './foreign.ts';
import type { Admission, AdmissionAnswer, ConnectionFigures, EditorSample, EditorView } from './ports.ts';
import { createTimedKeys } from './timed-keys.ts';

/** How long a place is kept for somebody who was let in and has not been seen yet. */
const PENDING_MS = 60_000;
const HOLD_MS = COUNTING.reconnect_grace_seconds * 1000;
const PEAK_MS = COUNTING.peak_window_seconds * 1000;
/** After this the editor is not expected to forget a view that was given up. */
const FREEING_MS = COUNTING.sample_interval_seconds * 1000;
/** How long somebody waits for that: it takes a second and an answer of the editor. */
const FREED_MS = 2_000;
/** How long the editor may take to list the view of a WebSocket that was let in. */
const LISTED_MS = 5_000;
/** A sample older than this says nothing about now: six were missed. */
const STALE_MS = 6 * COUNTING.sample_interval_seconds * 1000;

export interface Counting extends Admission {
  /** As `admit`, for a session's WebSocket: from then on only a sample of the editor frees its place. */
  admitSocket(session: { sessionId: string; docId: string }): AdmissionAnswer;
  /** As `admit`, for a connection to a document of another WOPI host, known by the hash of its token. */
  admitForeign(connection: { wopiSrc: string; tokenHash: string }): AdmissionAnswer;
  /** Whether a session has a place: reserved, in use, or kept for its return. */
  hasPlace(sessionId: string): boolean;
  /** Whether anybody is counted on a document of another WOPI host. */
  hasForeign(wopiSrc: string): boolean;
  /** Whether a further session would be refused. */
  isFull(): boolean;
  /** Whether all places are taken and one of them was given up a moment ago: the next sample can free it. */
  isFreeing(): boolean;
  /** Updates the counts from what the editor lists. */
  sampled(sample: EditorSample): void;
}

/**
 * Counts editing connections and decides whether there is room for one more (contract: Connections and embedding;
 * design: one connection). A session counts once however many views it has; so does, on a document of another WOPI
 * host, a user. A place is reserved for 60 s, then in use as long as the editor lists an editing view of it, then held
 * for another 120 s, which restart when its owner is admitted again. A session that gives its place up keeps it until a
 * sample shows that its view has gone. A lowered limit takes no place away. While there
 * is no recent sample everybody is admitted.
 * @param options.limit editing connections in force
 */
export function createCounting({ limit, clock }: { limit: () => number; clock: Clock }): Counting {
  let sample: EditorSample | undefined;
  let seen: ReadonlySet<string> = new Set();
  /** Seen, or about to be, and not to be kept when they drop. */
  const released = new Set<string>();
  let releasedAt = 0;
  let nextSample = Promise.withResolvers<void>();
  const held = createTimedKeys(HOLD_MS);
  const pending = createTimedKeys(PENDING_MS);
  /** Of the pending, when the WebSocket was let in. */
  const opening = new Map<string, number>();
  const foreign = createForeignReservations(PENDING_MS);
  let peaks: { at: number; current: number }[] = [];

  const hasSeat = (key: string): boolean => seen.has(key) || held.has(key);
  const current = (): number => seen.size + held.size();
  const enforcing = (): boolean => sample !== undefined && apart(clock(), sample.at) <= STALE_MS;
  const hasRoom = (taken: number): boolean => !enforcing() || taken < limit();
  /**
   * What stands in the way of a session of ours. Reservations on other hosts don't: anybody can make them, with tokens
   * that only those hosts can judge, and could keep everybody out.
   */
  const takenByOwn = (): number => current() + pending.size();

  function expire(): void {
    const now = clock();
    held.expire(now);
    pending.expire(now);
    for (const key of opening.keys()) if (!pending.has(key)) opening.delete(key);
    foreign.expire(now);
  }

  /** Whether it has a place; a held one is held for another 120 s, until the editor lists its returning owner. */
  function takesSeat(key: string): boolean {
    if (seen.has(key)) return true;
    if (!held.has(key)) return false;
    held.add(key, clock());
    return true;
  }

  function refused(): AdmissionAnswer {
    return { admitted: false, limit: limit(), current: current(), pending: pending.size() + foreign.size() };
  }

  function admit({ sessionId }: { sessionId: string }): AdmissionAnswer {
    expire();
    released.delete(sessionId);
    if (takesSeat(sessionId)) return { admitted: true };
    if (!pending.has(sessionId) && !hasRoom(takenByOwn())) return refused();
    pending.add(sessionId, clock());
    return { admitted: true };
  }

  function admitSocket(session: { sessionId: string; docId: string }): AdmissionAnswer {
    const answer = admit(session);
    const { sessionId } = session;
    if (pending.has(sessionId)) opening.set(sessionId, clock());
    return answer;
  }

  function admitForeign(connection: { wopiSrc: string; tokenHash: string }): AdmissionAnswer {
    expire();
    const user = foreign.userOf(connection);
    if (user !== undefined && takesSeat(user)) return { admitted: true };
    const isNew = !foreign.has(connection);
    if (isNew && !hasRoom(takenByOwn() + foreign.size())) return refused();
    // Without a sample all are let in, and anybody may ask: what is kept of them has an end.
    if (!isNew || foreign.size() < limit()) foreign.reserve(connection, clock());
    return { admitted: true };
  }

  function reserveNoMore(key: string): void {
    pending.remove(key);
    opening.delete(key);
  }

  function release(sessionId: string): void {
    held.remove(sessionId);
    if (!opening.has(sessionId)) pending.remove(sessionId);
    if (!seen.has(sessionId) && !opening.has(sessionId)) return;
    released.add(sessionId);
    releasedAt = clock();
  }

  function sampled(next: EditorSample): void {
    expire();
    const now = new Set(next.views.filter((view) => !view.readonly).map(connectionOf));
    for (const key of seen) if (!now.has(key) && !released.has(key)) held.add(key, next.at);
    for (const key of now) {
      held.remove(key);
      reserveNoMore(key);
    }
    for (const key of released) {
      if (now.has(key) || next.at - (opening.get(key) ?? 0) < LISTED_MS) continue;
      reserveNoMore(key);
      released.delete(key);
    }
    seen = now;
    sample = next;
    foreign.match(
      next.views.filter((view) => view.docId === null).map((view) => ({ ...view, key: connectionOf(view) })),
      hasSeat,
    );
    nextSample.resolve();
    nextSample = Promise.withResolvers();
    const isRecent = ({ at }: { at: number }) => at > next.at - PEAK_MS && at <= next.at;
    peaks = [...peaks.filter(isRecent), { at: next.at, current: current() }];
  }

  function isFull(): boolean {
    expire();
    return !hasRoom(takenByOwn());
  }

  const isFreeing = (): boolean => released.size > 0 && apart(clock(), releasedAt) <= FREEING_MS && isFull();

  async function freed(): Promise<void> {
    const late = pause(FREED_MS, 'late', { ref: false });
    while (isFreeing() && (await Promise.race([nextSample.promise, late])) !== 'late');
  }

  function figures(): ConnectionFigures {
    expire();
    const since = clock() - PEAK_MS;
    return {
      current: current(),
      pending: pending.size() + foreign.size(),
      peak_5m: Math.max(current(), ...peaks.filter(({ at }) => at > since).map((peak) => peak.current)),
      limit: limit(),
      readonly: sample?.views.filter((view) => view.readonly).length ?? 0,
      views_total: sample?.views.length ?? 0,
      documents: sample?.documents ?? 0,
      limit_reached: takenByOwn() >= limit(),
      enforcing: enforcing(),
      sample_age_seconds: sample ? Math.max(0, Math.floor((clock() - sample.at) / 1000)) : null,
    };
  }

  return {
    admit,
    admitSocket,
    admitForeign,
    sampled,
    figures,
    release,
    hasPlace(sessionId) {
      expire();
      return hasSeat(sessionId) || pending.has(sessionId);
    },
    hasForeign: (wopiSrc) => {
      const start = foreignConnection(wopiSrc, '');
      return [...seen, ...held.keys()].some((key) => key.startsWith(start));
    },
    isFull,
    isFreeing,
    freed,
  };
}

/** What a view counts as: our session, which the editor has as user id, or a user of another host's document. */
function connectionOf({ docId, wopiSrc, userId, viewId }: EditorView): string {
  if (docId === null) return foreignConnection(wopiSrc, userId || `view ${viewId}`);
  return userId || `${docId} ${viewId}`;
}

function foreignConnection(wopiSrc: string, user: string): string {
  return `${wopiSrc}\n${user}`;
}
