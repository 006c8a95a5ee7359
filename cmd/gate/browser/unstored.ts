/** Follows the changes of a document until the server has them. */
export interface Unstored {
  /** The editor says whether it has unsaved changes. */
  modified(on: boolean): void;
  /** A new version is stored. */
  stored(): void;
  /** A document was reopened. */
  reset(): void;
  /** The editor takes the document for saved and the server has no version of it yet; not even after 30 s. */
  doubtful(): false | 'a moment' | 'long';
  /** The editor has changes that it has not saved. */
  isModified(): boolean;
  /** There are changes that may be lost. */
  any(): boolean;
  stop(): void;
}

const DOUBT_MS = 30_000;

/**
 * The editor calls a document unmodified as soon as it has written the file, before the file has reached the server,
 * and it does not tell when it never does. Undoing everything looks the same from here. So that neither is taken for
 * the other, a document that is unmodified for 30 s without a new version is doubted.
 * @param warn whether to ask before the page is left
 */
export function createUnstored(warn: boolean, onDoubt: () => void): Unstored {
  let modified = false;
  let doubtful: ReturnType<Unstored['doubtful']> = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const question = (event: BeforeUnloadEvent): void => {
    event.preventDefault();
    // Older browsers.
    event.returnValue = true;
  };

  function trust(): void {
    doubtful = false;
    clearTimeout(timer);
  }

  /** Only while it is needed: pages with this listener are kept out of the browser's back-forward cache. */
  function guard(): void {
    if (warn && (modified || doubtful)) window.addEventListener('beforeunload', question);
    else window.removeEventListener('beforeunload', question);
  }

  return {
    modified(on) {
      if (modified && !on) {
        trust();
        doubtful = 'a moment';
        timer = setTimeout(() => {
          doubtful = 'long';
          onDoubt();
        }, DOUBT_MS);
      }
      modified = on;
      guard();
    },
    stored() {
      trust();
      guard();
    },
    reset() {
      modified = false;
      trust();
      guard();
    },
    doubtful: () => doubtful,
    isModified: () => modified,
    any: () => modified || doubtful !== false,
    stop() {
      clearTimeout(timer);
      window.removeEventListener('beforeunload', question);
    },
  };
}
