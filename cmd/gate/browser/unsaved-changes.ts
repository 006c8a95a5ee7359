import { Timer } from './async.ts';
import type { SessionState } from './server.ts';
import type { EditorState } from './state.ts';

const DOUBT_MS = 30_000;
/** The time within which a busy page says that a document was written whose version the server has already. */
const EARLY_MS = 5_000;

/** The server's state when there were unsaved changes. */
export interface Baseline {
  /** The newest version that was known: without a newer one, none of the changes was stored. */
  known: number;
  /** The changes are all in the versions after this one, if they were stored. */
  version: number;
  /** Time at which the editor had fetched the document; null when it is not known. */
  loadedAt: string | null;
}

/**
 * Finds out where the changes on top of a baseline are, once the editor has nothing that is not saved: a newer version has
 * them; the editor still has the same document, so that they are pending; or it fetched the document anew without them.
 */
export function locateChanges(
  { version, loadedAt }: Omit<Baseline, 'known'>,
  current: Pick<SessionState, 'version' | 'loaded_at'>,
): 'stored' | 'pending' | 'lost' | 'unknown' {
  if (current.version > version) return 'stored';
  if (loadedAt === null || current.loaded_at === null) return 'unknown';
  return current.loaded_at === loadedAt ? 'pending' : 'lost';
}

/**
 * Follows the changes of a document until the server has them. The editor calls a document unmodified as soon as it has
 * written the file, before the file has reached the server, and never reports that it does not. Undoing everything looks the
 * same from here. So that neither is taken for the other, a document that is unmodified for 30 s without a new version is
 * doubted. Each version ends the doubt of one write: the next one may have been made while that version was on its way.
 */
export class UnsavedChanges {
  readonly #state: EditorState;
  readonly #warns: boolean;
  readonly #onDoubt: () => void;
  #modified = false;
  /** When the editor had fetched the document that was modified. */
  #loadedAt: string | null = null;
  /** Writes of which no version is known. */
  #writes = 0;
  /** Writes since a save was asked for, without its own. */
  #laterWrites = 0;
  /** When the version came of a write that the page has not told of yet. */
  #earlyAt = 0;
  #isDoubtLong = false;
  readonly #timer = new Timer();

  /** @param warns whether to ask before the page is left */
  constructor(state: EditorState, warns: boolean, onDoubt: () => void) {
    this.#state = state;
    this.#warns = warns;
    this.#onDoubt = onDoubt;
  }

  /** Takes the editor's word for whether it has unsaved changes, before the state says so. */
  setModified(modified: boolean): void {
    if (!this.#state.modified && modified) this.#loadedAt = this.#state.loadedAt;
    if (!this.#state.isEditing()) return;
    // Where somebody types while it writes, the editor says only once more that the document is modified.
    if (this.#modified) this.#onWritten();
    this.#modified = modified;
    this.#guard();
  }

  /** A save is asked for. */
  onSave(): void {
    this.#laterWrites = this.#modified && !this.#isEarly() ? -1 : 0;
  }

  /** The server has answered. @param isNew whether with a new version @param isOwn whether of the save that is asked for */
  onState({ version }: SessionState, isNew: boolean, isOwn: boolean): void {
    if (this.any()) this.#loadedAt ??= this.#state.loadedAt;
    if (!isNew) return;
    const others = this.#writes - (version - this.#getVersion());
    const missing = isOwn ? Math.min(Math.max(0, others), this.#laterWrites) : others;
    if (missing < 0 && this.#modified) this.#earlyAt = Date.now();
    this.#writes = Math.max(0, missing);
    this.#doubt();
    this.#guard();
  }

  /** A document was reopened. */
  reset(): void {
    this.#modified = false;
    this.#earlyAt = 0;
    this.#writes = 0;
    this.#doubt();
    this.#guard();
  }

  /** Returns whether the editor may be wrong when it says that there is nothing to save, and whether for 30 s already. */
  isDoubtful(): false | 'a moment' | 'long' {
    if (this.#writes === 0) return this.#modified && 'a moment';
    return this.#isDoubtLong ? 'long' : 'a moment';
  }

  /** Returns whether the editor has changes that it has not saved. */
  isModified(): boolean {
    return this.#modified;
  }

  /** Returns whether there are changes that may be lost. */
  any(): boolean {
    return this.#modified || this.#writes > 0;
  }

  /** Returns where the changes that may be lost will be found; undefined without changes. */
  getBaseline(): Baseline | undefined {
    if (!this.any()) return undefined;
    const known = this.#getVersion();
    const missing = this.#writes + (this.#modified && !this.#isEarly() ? 1 : 0);
    if (missing === 0) return undefined;
    return { known, version: known + missing - 1, loadedAt: this.#loadedAt };
  }

  stop(): void {
    this.#timer.stop();
    window.removeEventListener('beforeunload', this.#ask);
  }

  #onWritten(): void {
    const isEarly = this.#isEarly();
    this.#earlyAt = 0;
    if (isEarly) return;
    this.#laterWrites += 1;
    this.#writes += 1;
    this.#doubt();
  }

  #isEarly(): boolean {
    return Date.now() - this.#earlyAt < EARLY_MS;
  }

  #getVersion(): number {
    return this.#state.version ?? 0;
  }

  /** Gives the version of a write its time. */
  #doubt(): void {
    this.#timer.stop();
    this.#isDoubtLong = false;
    if (this.#writes === 0) return;
    this.#timer.start(DOUBT_MS, () => {
      this.#isDoubtLong = true;
      this.#onDoubt();
    });
  }

  /** Listens only while it is needed: pages with this listener are kept out of the browser's back-forward cache. */
  #guard(): void {
    if (this.#warns && this.any()) window.addEventListener('beforeunload', this.#ask);
    else window.removeEventListener('beforeunload', this.#ask);
  }

  readonly #ask = (event: BeforeUnloadEvent): void => {
    event.preventDefault();
    // Older browsers.
    event.returnValue = true;
  };
}
