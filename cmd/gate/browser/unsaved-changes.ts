import type { SessionState } from './server.ts';
import type { EditorState } from './state.ts';

const DOUBT_MS = 30_000;

/** The server's state of a document when unsaved changes were made on top of it. */
export interface Baseline {
  version: number;
  /** Time at which the editor had fetched the document; null when it is not known. */
  loadedAt: string | null;
}

/**
 * Finds out where the changes on top of a baseline are, once the editor has nothing that is not saved: a newer version has
 * them; the editor still has the same document, so that they are pending; or it fetched the document anew without them.
 */
export function locateChanges(
  { version, loadedAt }: Baseline,
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
 * doubted.
 */
export class UnsavedChanges {
  readonly #state: EditorState;
  readonly #warns: boolean;
  readonly #onDoubt: () => void;
  #modified = false;
  #baseline: Baseline | undefined;
  #doubt: false | 'a moment' | 'long' = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param warns whether to ask before the page is left */
  constructor(state: EditorState, warns: boolean, onDoubt: () => void) {
    this.#state = state;
    this.#warns = warns;
    this.#onDoubt = onDoubt;
  }

  /** Takes the editor's word for whether it has unsaved changes, before the state says so. */
  setModified(modified: boolean): void {
    const { version, loadedAt, modified: before } = this.#state;
    if (!before && modified) this.#baseline = version === undefined ? undefined : { version, loadedAt };
    if (!this.#state.isEditing()) return;
    if (this.#modified && !modified) {
      this.#trust();
      this.#doubt = 'a moment';
      this.#timer = setTimeout(() => {
        this.#doubt = 'long';
        this.#onDoubt();
      }, DOUBT_MS);
    }
    this.#modified = modified;
    this.#guard();
  }

  /** The server has answered. @param isNew whether with a new version */
  onState({ version, loaded_at: loadedAt }: SessionState, isNew: boolean): void {
    const baseline = this.#baseline;
    if (baseline) baseline.loadedAt ??= loadedAt;
    if (!isNew) return;
    // It is of a save before these changes: after one of them the page would have said that nothing is left to save.
    if (baseline && this.#doubt) baseline.version = version;
    this.#onStored();
  }

  /** A document was reopened. */
  reset(): void {
    this.#modified = false;
    this.#onStored();
  }

  /** Returns whether the editor takes the document for saved while the server has no version of it yet; not even after 30 s. */
  isDoubtful(): false | 'a moment' | 'long' {
    return this.#doubt;
  }

  /** Returns whether the editor has changes that it has not saved. */
  isModified(): boolean {
    return this.#modified;
  }

  /** Returns whether there are changes that may be lost. */
  any(): boolean {
    return this.#modified || this.#doubt !== false;
  }

  /** Returns what the server had before the changes that the editor has not saved; undefined without changes. */
  getBaseline(): Baseline | undefined {
    return this.#modified && this.#baseline ? { ...this.#baseline } : undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    window.removeEventListener('beforeunload', this.#ask);
  }

  #onStored(): void {
    this.#trust();
    this.#guard();
  }

  #trust(): void {
    this.#doubt = false;
    clearTimeout(this.#timer);
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
