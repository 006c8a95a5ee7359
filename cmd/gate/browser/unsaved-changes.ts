const DOUBT_MS = 30_000;

/**
 * Follows the changes of a document until the server has them. The editor calls a document unmodified as soon as it has
 * written the file, before the file has reached the server, and never reports that it does not. Undoing everything looks the
 * same from here. So that neither is taken for the other, a document that is unmodified for 30 s without a new version is
 * doubted.
 */
export class UnsavedChanges {
  readonly #warns: boolean;
  readonly #onDoubt: () => void;
  #modified = false;
  #doubt: false | 'a moment' | 'long' = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param warns whether to ask before the page is left */
  constructor(warns: boolean, onDoubt: () => void) {
    this.#warns = warns;
    this.#onDoubt = onDoubt;
  }

  /** Takes the editor's word for whether it has unsaved changes. */
  setModified(modified: boolean): void {
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

  /** A new version is stored. */
  onStored(): void {
    this.#trust();
    this.#guard();
  }

  /** A document was reopened. */
  reset(): void {
    this.#modified = false;
    this.onStored();
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

  stop(): void {
    clearTimeout(this.#timer);
    window.removeEventListener('beforeunload', this.#ask);
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
