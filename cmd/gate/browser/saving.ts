import { type Deferred, defer } from './defer.ts';
import { editorError } from './errors.ts';
import { type Floor, fateOf } from './floor.ts';
import type { EditorMessage } from './messages.ts';
import { randomName } from './random.ts';
import type { SessionState } from './server.ts';
import type { Texts } from './texts.ts';
import type { Unstored } from './unstored.ts';

/** One save at a time, from the request to the stored version. */
export interface Saving {
  save(): Promise<SVC.SaveResult>;
  /**
   * The document is there again, which its page had lost: a save that is waited for is asked for again.
   * @param floor what the server had when there were changes on top of it
   */
  onBack(floor: Floor | undefined): void;
  isPending(): boolean;
  /** Whether the editor's server answers the page within so many milliseconds. */
  prove(ms: number): Promise<boolean>;
  /** The page has lost its connection: it proves nothing. */
  disprove(): void;
  /** The editor has answered. */
  onAnswer(message: EditorMessage): void;
  /** The server has answered. */
  onState(state: SessionState): void;
  /** What the save that is waited for was asked with. */
  nonce(): string | undefined;
  stop(): void;
}

export interface SavingOptions {
  texts: Texts;
  post(id: string, values: Record<string, unknown>): void;
  /** Wakes a page that sleeps. */
  wake(): void;
  /** Asks the server at once and often. */
  hurry(): void;
  state(): Promise<SessionState>;
  /** The newest version known. */
  version(): number;
  /** Whether there is a document that can be asked. */
  isOpen(): boolean;
  /** Whether the editor may be wrong when it says that there is nothing to save, for how long. */
  doubtful: Unstored['doubtful'];
}

interface Pending extends Deferred<SVC.SaveResult> {
  nonce: string;
  /** Save even if the editor takes the document for unmodified. */
  force: boolean;
  timer: ReturnType<typeof setTimeout>;
  /** The newest version known when it was called, and when the editor was last asked. */
  called: number;
  asked: number;
  /** The editor has answered, so that a version is on its way or is there. */
  answered: boolean;
  /** What is done when none comes. */
  late?: ReturnType<typeof setTimeout>;
  retry?: ReturnType<typeof setTimeout>;
}

/** Contract: Browser events. */
const SAVE_MS = 30_000;
/** For the last look at a save whose time is up. */
const LAST_LOOK_MS = 2_000;
/** On average, and different each time: people who save together would drop each other's requests again and again. */
const RETRY_MS = 500;
/** Until an upload that the editor has begun for somebody else is thought to have failed. */
const DOUBT_MS = 2_000;
/** The same for an upload of before a connection was lost, which the editor may try a second time. */
const FLOOR_MS = 10_000;

/** The editor's words for an upload that is under way, told to all who save meanwhile (Collabora Online 25.04.9). */
const UPLOADING = 'Already in progress.';

export function createSaving(options: SavingOptions): Saving {
  const { texts, post, wake, hurry, state, version, doubtful } = options;
  let pending: Pending | undefined;
  let floor: Floor | undefined;
  let onProof: (isProof: boolean) => void = () => {};

  /** Takes the save that is waited for, unless another is waited for by now. */
  function take(expected = pending): Pending | undefined {
    if (!pending || pending !== expected) return undefined;
    const taken = pending;
    clearTimeout(taken.timer);
    clearTimeout(taken.retry);
    clearTimeout(taken.late);
    pending = undefined;
    return taken;
  }

  /** The editor has nothing that is not saved: all is in the newest version, on its way to the server, or lost. */
  function nothingToSave(asked: Pending): void {
    const settle = (current: SessionState): void => {
      onState(current);
      if (pending !== asked) return;
      const fate = floor ? fateOf(floor, current) : 'stored';
      const end = () => (fate === 'lost' || fate === 'unknown' ? lose(asked) : finish(asked, current));
      if (fate === 'stored' || fate === 'lost') end();
      else waitFor(asked, FLOOR_MS, end);
    };
    state().then(settle, (error) => take(asked)?.reject(error));
  }

  /** For a version that is on its way. */
  function waitFor(asked: Pending, ms: number, otherwise: () => void): void {
    clearTimeout(asked.late);
    asked.late = setTimeout(otherwise, ms);
  }

  function finish(asked: Pending, current: SessionState): void {
    floor = undefined;
    const unmodified = current.version <= asked.called;
    take(asked)?.resolve({ ...savedVersion(current), unmodified });
  }

  function lose(asked: Pending): void {
    const detail = { reason: 'changes_lost', version: floor?.version };
    floor = undefined;
    take(asked)?.reject(editorError('save_failed', texts.changesLost, detail));
  }

  /** Time also passes in a page that sleeps, as with its machine: what is stored by then is not called late. */
  function lastLook(asked: Pending): void {
    const late = (): void => take(asked)?.reject(editorError('save_timeout', texts.saveTimeout));
    state().then(onState).then(late, late);
    setTimeout(late, LAST_LOOK_MS);
  }

  function onState(current: SessionState): void {
    if (floor && current.version > floor.version) floor = undefined;
    if (pending && current.save?.nonce === pending.nonce) {
      take()?.resolve({ ...savedVersion(current), unmodified: false });
    }
  }

  function request({ nonce, force }: Pick<Pending, 'nonce' | 'force'>): void {
    wake();
    post('Action_Save', {
      DontTerminateEdit: true,
      DontSaveIfUnmodified: !force,
      Notify: true,
      ExtendedData: `svc1.${nonce}`,
    });
    hurry();
  }

  function ask(asked: Pending, force: boolean): void {
    clearTimeout(asked.late);
    Object.assign(asked, { force, asked: version(), answered: false });
    request(asked);
  }

  /**
   * While the editor saves for somebody it drops the requests of others, without an answer. Whoever has none asks again,
   * and so does who sees a version come without the own nonce: the editor saves what is not in it, or says that all is.
   */
  function retryLater(asked: Pending): void {
    asked.retry = setTimeout(
      () => {
        retryLater(asked);
        if (!options.isOpen()) return;
        if (version() > asked.asked) ask(asked, false);
        else if (!asked.answered) ask(asked, asked.force);
      },
      RETRY_MS * (0.5 + Math.random()),
    );
  }

  /** The version that is on its way may have it all: the editor is asked once it is there, or it takes long. */
  function onUploading(asked: Pending): void {
    asked.answered = true;
    waitFor(asked, DOUBT_MS, () => ask(asked, false));
    hurry();
  }

  function onUnmodified(asked: Pending): void {
    if (asked.force) return;
    asked.answered = true;
    // A save for somebody else may have come between, and be on its way still.
    if (doubtful()) waitFor(asked, DOUBT_MS, () => ask(asked, true));
    else nothingToSave(asked);
  }

  return {
    save() {
      const asked: Pending = {
        ...defer<SVC.SaveResult>(),
        nonce: randomName(),
        force: doubtful() === 'long',
        called: version(),
        asked: version(),
        answered: false,
        timer: setTimeout(() => lastLook(asked), SAVE_MS),
      };
      pending = asked;
      request(asked);
      retryLater(asked);
      return asked.promise;
    },
    onBack(before) {
      floor = before;
      if (pending) ask(pending, false);
    },
    isPending: () => pending !== undefined,
    prove(ms) {
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), ms);
        onProof = (isProof) => {
          clearTimeout(timer);
          resolve(isProof);
        };
        request(pending ?? { nonce: randomName(), force: false });
      });
    },
    disprove: () => onProof(false),
    onAnswer(message) {
      onProof(true);
      const { success, result, errorMsg } = message.Values;
      // A success says that the editor has it, not that the server does: that is seen from the nonce.
      if (pending && success !== false) pending.answered = true;
      if (!pending || success !== false) return hurry();
      if (result === 'unmodified') onUnmodified(pending);
      else if (errorMsg === UPLOADING) onUploading(pending);
      else take()?.reject(editorError('save_failed', texts.saveFailed, { ...message }));
    },
    onState,
    nonce: () => pending?.nonce,
    stop: () => void take(),
  };
}

export function savedVersion(state: SessionState): SVC.SavedVersion {
  return {
    version: state.version,
    url: state.download_url,
    size: state.size,
    sha256: state.sha256,
    savedAt: state.saved_at,
  };
}
