import type { Floor } from './floor.ts';
import type { EditorPage } from './page.ts';
import { createReach, type ReachOptions } from './reach.ts';
import { createReturning, type Returning, type ReturningOptions } from './returning.ts';
import type { Saving } from './saving.ts';
import type { Unstored } from './unstored.ts';

/** Notices that the page has lost its document, and gets back to it. */
export interface Recovery extends Pick<Returning, 'isAway' | 'back' | 'cancel'> {
  /** The page has lost its document. */
  lose(): void;
  /** Something may have gone wrong with the network: finds out whether the editor still answers. */
  check(): void;
  /**
   * A question to the server was not answered. A modified document is not saved to find out more: where only the gate is
   * away, that would fail, and the editor would show a dialog to whoever is typing.
   */
  doubt(): void;
  stop(): void;
}

export interface RecoveryOptions extends Omit<ReturningOptions, 'onBack' | 'resume'>, Pick<ReachOptions, 'isSilent'> {
  page: Pick<EditorPage, 'cover' | 'quietMs' | 'unusedMs' | 'isIdle' | 'isLoaded' | 'resume'>;
  saving: Pick<Saving, 'prove' | 'isPending' | 'onBack'>;
  unstored: Pick<Unstored, 'any' | 'isModified' | 'reset'>;
  isOpen(): boolean;
  isEditing(): boolean;
  /** What there was when the document was modified. */
  floor(): Floor | undefined;
  /** The machine has lost its network: finds out whether the server can still be reached. */
  onOffline(): void;
  onLost(detail: Record<string, unknown>): void;
  /** The document is there again. @param unsaved whether there was something to save */
  onBack(unsaved: boolean): void;
}

const TICK_MS = 5_000;
/** A page whose clock jumps so far has slept, as with its machine. */
const SLEPT_MS = 30_000;
/**
 * A connection may be dead alone, as when an address translator has forgotten it. Asking whether it lives saves a
 * document that is modified, so that is done less often than the editor saves by itself.
 */
const QUIET_MS = 60_000;
const QUIET_MODIFIED_MS = 120_000;
const PROOF_MS = 5_000;
/** For a page that was given up since nothing got through: it is opened anew sooner. */
const RESUME_MS = 2_000;
/** How long somebody who has used keys or mouse may be about to type. */
const IN_USE_MS = 10_000;

export function createRecovery(options: RecoveryOptions): Recovery {
  const { page, saving, unstored } = options;
  let before: { unsaved: boolean; floor: Floor | undefined } = { unsaved: false, floor: undefined };
  /** Nothing got through to the service, which says nothing about the page's own connection. */
  let isSilent = false;
  let ticked = Date.now();
  const returning = createReturning({ ...options, resume, onBack });
  const reach = createReach({
    isSilent: options.isSilent,
    isNeeded: () => isInUse() && (unstored.any() || page.unusedMs() < IN_USE_MS),
    onSilent: () => loseTouch(true),
  });
  const clock = setInterval(tick, TICK_MS);
  window.addEventListener('online', check);
  window.addEventListener('offline', options.onOffline);

  function tick(): void {
    const slept = Date.now() - ticked > SLEPT_MS;
    ticked = Date.now();
    if (slept || isTooQuiet()) void check();
  }

  /** Whether somebody may be typing. */
  function isInUse(): boolean {
    if (!options.isOpen() || returning.isAway() || !options.isEditing()) return false;
    return document.visibilityState === 'visible' && !page.isIdle();
  }

  function isTooQuiet(): boolean {
    return isInUse() && page.quietMs() > (unstored.isModified() ? QUIET_MODIFIED_MS : QUIET_MS);
  }

  async function check(): Promise<void> {
    if (!options.isOpen() || returning.isAway()) return;
    const asks = options.isEditing() && navigator.onLine;
    if (asks && (await saving.prove(PROOF_MS))) return;
    loseTouch(!asks);
  }

  function loseTouch(silent: boolean): void {
    if (returning.isAway()) return;
    isSilent = silent;
    options.onLost({ reason: 'unreachable' });
  }

  /** A connection outlives a short silence: then all that was typed has arrived after all. */
  async function resume(): Promise<boolean> {
    const tries = isSilent && options.isEditing() && page.isLoaded();
    isSilent = false;
    if (!tries || !(await saving.prove(RESUME_MS)) || !page.isLoaded() || !returning.isAway()) return false;
    page.resume();
    return true;
  }

  function onBack(resumed: boolean): void {
    if (!resumed) {
      unstored.reset();
      saving.onBack(before.floor);
    }
    options.onBack(before.unsaved && !saving.isPending());
  }

  return {
    lose() {
      if (returning.isAway()) return;
      before = { unsaved: unstored.any(), floor: unstored.isModified() ? options.floor() : undefined };
      page.cover();
      returning.lost();
    },
    check: () => void check(),
    doubt() {
      if (!navigator.onLine || !unstored.isModified()) void check();
    },
    isAway: returning.isAway,
    back: returning.back,
    cancel: returning.cancel,
    stop() {
      returning.stop();
      reach.stop();
      clearInterval(clock);
      window.removeEventListener('online', check);
      window.removeEventListener('offline', options.onOffline);
    },
  };
}
