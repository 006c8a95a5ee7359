import { asEditorError, isFinal, isUnreachable } from './errors.ts';
import type { SessionState } from './server.ts';

/** Asks the server for the session's state again and again: a save is known only from there. */
export interface Watch {
  /** News is expected: asks at once, and often for a while. */
  hurry(): void;
  /** Something may have gone wrong: asks at once. */
  look(): void;
  /** People have come or gone: asks soon, and again when the server has had time to see it. */
  nudge(): void;
  stop(): void;
}

export interface WatchOptions {
  ask(): Promise<SessionState>;
  /** Whether there are changes that are not stored, so that a version may come. */
  expecting(): boolean;
  onState(state: SessionState): void;
  /** Nothing answers at all, for the first time: the editor's page may have lost its document as well. */
  onUnreachable(): void;
  /** The server can't be reached: called once, and again only after it could be reached. */
  onTrouble(error: SVC.EditorError): void;
}

const HURRY_MS = 35_000;
const SHORTEST_MS = 250;
const LONGEST_MS = 2_000;
const NUDGES_MS = [1_000, 11_000];
const EXPECTING_MS = 10_000;
const IDLE_MS = 30_000;
/** Number of failures in a row that are reported. */
const FAILURES = 3;

export function createWatch({ ask, expecting, onState, onUnreachable, onTrouble }: WatchOptions): Watch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hurryUntil = 0;
  let pause = SHORTEST_MS;
  let nudges: number[] = [];
  let failures = 0;
  let asking = false;
  let stopped = false;

  function plan(): void {
    clearTimeout(timer);
    if (!stopped && !asking) timer = setTimeout(look, wait());
  }

  function wait(): number {
    if (Date.now() >= hurryUntil) return nudges.shift() ?? (expecting() ? EXPECTING_MS : IDLE_MS);
    const now = pause;
    pause = Math.min(pause * 1.5, LONGEST_MS);
    return now;
  }

  async function look(): Promise<void> {
    asking = true;
    try {
      const state = await ask();
      failures = 0;
      if (!stopped) onState(state);
    } catch (error) {
      if (!stopped) fail(asEditorError(error));
    }
    asking = false;
    plan();
  }

  function fail(error: SVC.EditorError): void {
    failures += 1;
    const final = isFinal(error);
    if (final) stop();
    if (failures === 1 && isUnreachable(error)) onUnreachable();
    if (final || failures === FAILURES) onTrouble(error);
  }

  function stop(): void {
    stopped = true;
    clearTimeout(timer);
  }

  plan();
  return {
    hurry() {
      hurryUntil = Date.now() + HURRY_MS;
      pause = SHORTEST_MS;
      plan();
    },
    look() {
      nudges = [0, ...nudges];
      plan();
    },
    nudge() {
      nudges = [...NUDGES_MS];
      if (Date.now() >= hurryUntil) plan();
    },
    stop,
  };
}
