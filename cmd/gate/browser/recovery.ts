import type { EditorPage } from './page.ts';
import { createReturning, type Returning, type ReturningOptions } from './returning.ts';
import type { Saving } from './saving.ts';
import type { Unstored } from './unstored.ts';

/** Notices that the page has lost its document, and gets back to it. */
export interface Recovery extends Pick<Returning, 'isAway' | 'back' | 'cancel'> {
  /** The page has lost its document. */
  lose(): void;
  /** Something may have gone wrong with the network: finds out whether the editor still answers. */
  check(): void;
  stop(): void;
}

export interface RecoveryOptions extends Omit<ReturningOptions, 'onBack'> {
  page: Pick<EditorPage, 'cover' | 'quietMs'>;
  saving: Pick<Saving, 'prove' | 'isPending' | 'onBack'>;
  unstored: Pick<Unstored, 'any' | 'isModified' | 'reset'>;
  isOpen(): boolean;
  isEditing(): boolean;
  version(): number | undefined;
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
 * A connection may be dead without anybody being told, as when an address translator has forgotten it. Asking whether
 * it lives saves a document that is modified, so that is done less often than the editor saves by itself.
 */
const QUIET_MS = 60_000;
const QUIET_MODIFIED_MS = 120_000;

export function createRecovery(options: RecoveryOptions): Recovery {
  const { page, saving, unstored } = options;
  let before: { unsaved: boolean; floor: number | undefined } = { unsaved: false, floor: undefined };
  let ticked = Date.now();
  const returning = createReturning({
    ...options,
    onBack() {
      unstored.reset();
      saving.onBack(before.floor);
      options.onBack(before.unsaved && !saving.isPending());
    },
  });
  const clock = setInterval(tick, TICK_MS);
  window.addEventListener('online', check);
  window.addEventListener('offline', options.onOffline);

  function tick(): void {
    const slept = Date.now() - ticked > SLEPT_MS;
    ticked = Date.now();
    const quiet = unstored.isModified() ? QUIET_MODIFIED_MS : QUIET_MS;
    if (slept || (options.isEditing() && document.visibilityState === 'visible' && page.quietMs() > quiet))
      void check();
  }

  async function check(): Promise<void> {
    if (!options.isOpen() || returning.isAway()) return;
    if (options.isEditing() && navigator.onLine && (await saving.prove())) return;
    options.onLost({ reason: 'unreachable' });
  }

  return {
    lose() {
      if (returning.isAway()) return;
      const floor = unstored.isModified() ? options.version() : undefined;
      before = { unsaved: unstored.any(), floor };
      page.cover();
      returning.lost();
    },
    check: () => void check(),
    isAway: returning.isAway,
    back: returning.back,
    cancel: returning.cancel,
    stop() {
      returning.stop();
      clearInterval(clock);
      window.removeEventListener('online', check);
      window.removeEventListener('offline', options.onOffline);
    },
  };
}
