import type { Baseline } from './baseline.ts';
import type { EditorPage } from './page.ts';
import { type ReachabilityOptions, watchReachability } from './reachability.ts';
import { Reconnector, type ReconnectorOptions } from './reconnector.ts';
import type { Saving } from './saving.ts';
import type { UnsavedChanges } from './unsaved-changes.ts';

export interface RecoveryOptions
  extends Omit<ReconnectorOptions, 'onBack' | 'resume'>,
    Pick<ReachabilityOptions, 'isSilent'> {
  page: EditorPage;
  saving: Saving;
  unsaved: UnsavedChanges;
  isOpen(): boolean;
  isEditing(): boolean;
  /** Returns what the server had when the document was modified. */
  getBaseline(): Baseline | undefined;
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
/** Shorter for a page that was given up since nothing got through: it is opened anew sooner. */
const RESUME_MS = 2_000;
/** The time that somebody who has used keys or mouse may be about to type. */
const IN_USE_MS = 10_000;

/** Notices that the page has lost its document, and gets back to it. */
export class Recovery {
  readonly reconnector: Reconnector;
  readonly #options: RecoveryOptions;
  #before: { unsaved: boolean; baseline: Baseline | undefined } = { unsaved: false, baseline: undefined };
  /** True if nothing got through to the service, which says nothing about the page's own connection. */
  #isSilent = false;
  #lastTick = Date.now();
  readonly #stopReachability: () => void;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(options: RecoveryOptions) {
    const { page, unsaved } = options;
    this.#options = options;
    this.reconnector = new Reconnector({
      ...options,
      resume: () => this.#resume(),
      onBack: (resumed) => this.#onBack(resumed),
    });
    this.#stopReachability = watchReachability({
      isSilent: options.isSilent,
      isNeeded: () => this.#isInUse() && (unsaved.any() || page.heartbeat.unusedMs() < IN_USE_MS),
      onSilent: () => this.#loseTouch(true),
    });
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    window.addEventListener('online', this.check);
    window.addEventListener('offline', options.onOffline);
  }

  /** The page has lost its document. */
  lose(): void {
    if (this.reconnector.isAway()) return;
    const { unsaved, page, getBaseline } = this.#options;
    this.#before = { unsaved: unsaved.any(), baseline: unsaved.isModified() ? getBaseline() : undefined };
    page.cover();
    this.reconnector.start();
  }

  /**
   * A question to the server was not answered. A modified document is not saved to find out more: where only the gate is
   * away, that would fail, and the editor would show a dialog to whoever is typing.
   */
  doubt(): void {
    if (!navigator.onLine || !this.#options.unsaved.isModified()) void this.check();
  }

  stop(): void {
    this.reconnector.stop();
    this.#stopReachability();
    clearInterval(this.#timer);
    window.removeEventListener('online', this.check);
    window.removeEventListener('offline', this.#options.onOffline);
  }

  #tick(): void {
    const slept = Date.now() - this.#lastTick > SLEPT_MS;
    this.#lastTick = Date.now();
    if (slept || this.#isTooQuiet()) void this.check();
  }

  /** Returns whether somebody may be typing. */
  #isInUse(): boolean {
    if (!this.#options.isOpen() || this.reconnector.isAway() || !this.#options.isEditing()) return false;
    return document.visibilityState === 'visible' && !this.#options.page.heartbeat.isIdle();
  }

  #isTooQuiet(): boolean {
    const { page, unsaved } = this.#options;
    return this.#isInUse() && page.heartbeat.quietMs() > (unsaved.isModified() ? QUIET_MODIFIED_MS : QUIET_MS);
  }

  /** Finds out whether the editor still answers. */
  readonly check = async (): Promise<void> => {
    if (!this.#options.isOpen() || this.reconnector.isAway()) return;
    const asks = this.#options.isEditing() && navigator.onLine;
    if (asks && (await this.#options.saving.prove(PROOF_MS))) return;
    this.#loseTouch(!asks);
  };

  #loseTouch(silent: boolean): void {
    if (this.reconnector.isAway()) return;
    this.#isSilent = silent;
    this.#options.onLost({ reason: 'unreachable' });
  }

  /** A connection outlives a short silence: then all that was typed has arrived after all. */
  async #resume(): Promise<boolean> {
    const { page, saving, isEditing } = this.#options;
    const tries = this.#isSilent && isEditing() && page.isLoaded();
    this.#isSilent = false;
    if (!tries || !(await saving.prove(RESUME_MS)) || !page.isLoaded() || !this.reconnector.isAway()) return false;
    page.resume();
    return true;
  }

  #onBack(resumed: boolean): void {
    const { unsaved, saving, onBack } = this.#options;
    if (!resumed) {
      unsaved.reset();
      saving.onBack(this.#before.baseline);
    }
    onBack(this.#before.unsaved && !saving.isPending());
  }
}
