import { type Deferred, defer } from './defer.ts';
import { editorError } from './errors.ts';
import type { EditorMessage } from './messages.ts';
import { randomName } from './random.ts';
import type { SessionState } from './server.ts';
import type { Texts } from './texts.ts';

/** One save at a time, from the request to the stored version. */
export interface Saving {
  save(): Promise<SVC.SaveResult>;
  /**
   * The document was opened anew since its page had lost it: a save that is waited for is asked for again.
   * @param floor the newest version before, when there were changes on top of it: up to it, nothing has them
   */
  onBack(floor: number | undefined): void;
  isPending(): boolean;
  /** Whether the editor's server answers the page, found out within 5 s. */
  prove(): Promise<boolean>;
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
  /** Whether the editor may be wrong when it says that there is nothing to save. */
  doubtful(): boolean;
}

interface Pending extends Deferred<SVC.SaveResult> {
  nonce: string;
  /** Save even if the editor takes the document for unmodified. */
  force: boolean;
  timer: ReturnType<typeof setTimeout>;
  /** The newest version known when it was asked for. */
  from: number;
  retry?: ReturnType<typeof setTimeout>;
}

/** Contract: Browser events. */
const SAVE_MS = 30_000;
/** For the last look at a save whose time is up. */
const LAST_LOOK_MS = 2_000;
const RETRY_MS = 10_000;
const PROOF_MS = 5_000;

export function createSaving({ texts, post, wake, hurry, state, doubtful }: SavingOptions): Saving {
  let pending: Pending | undefined;
  let newest = 0;
  let floor: number | undefined;
  let onProof: () => void = () => {};

  /** Takes the save that is waited for, unless another is waited for by now. */
  function take(expected = pending): Pending | undefined {
    if (!pending || pending !== expected) return undefined;
    const taken = pending;
    clearTimeout(taken.timer);
    clearTimeout(taken.retry);
    pending = undefined;
    return taken;
  }

  function nothingToSave(): void {
    const asked = pending;
    const settle = (current: SessionState): void => {
      onState(current);
      const lost = floor;
      floor = undefined;
      if (lost === undefined) take(asked)?.resolve({ ...savedVersion(current), unmodified: true });
      else
        take(asked)?.reject(editorError('save_failed', texts.changesLost, { reason: 'changes_lost', version: lost }));
    };
    state().then(settle, (error) => take(asked)?.reject(error));
  }

  /** Time also passes in a page that sleeps, as with its machine: what is stored by then is not called late. */
  function lastLook(asked: Pending): void {
    const late = (): void => take(asked)?.reject(editorError('save_timeout', texts.saveTimeout));
    state().then(onState).then(late, late);
    setTimeout(late, LAST_LOOK_MS);
  }

  function onState(current: SessionState): void {
    newest = current.version;
    if (floor !== undefined && newest > floor) floor = undefined;
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

  /**
   * The editor uploads once for several people who save within 5 s, with the nonce of one of them. Whoever sees versions
   * come without the own nonce asks once more.
   */
  function retryLater(asked: Pending): void {
    asked.retry = setTimeout(() => {
      if (newest > asked.from) {
        asked.force = true;
        request(asked);
      }
      retryLater(asked);
    }, RETRY_MS);
  }

  function onUnmodified(asked: Pending): void {
    if (asked.force) return;
    // A save of the editor's own may have come between, and be on its way still.
    asked.force = doubtful();
    if (asked.force) request(asked);
    else nothingToSave();
  }

  return {
    save() {
      const asked: Pending = {
        ...defer<SVC.SaveResult>(),
        nonce: randomName(),
        force: doubtful(),
        from: newest,
        timer: setTimeout(() => lastLook(asked), SAVE_MS),
      };
      pending = asked;
      request(asked);
      retryLater(asked);
      return asked.promise;
    },
    onBack(version) {
      floor = version;
      if (!pending) return;
      // The editor tells whether there is anything to save: all that was typed may be stored by now.
      pending.force = false;
      request(pending);
    },
    isPending: () => pending !== undefined,
    prove() {
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), PROOF_MS);
        onProof = () => {
          clearTimeout(timer);
          resolve(true);
        };
        request(pending ?? { nonce: randomName(), force: false });
      });
    },
    onAnswer(message) {
      onProof();
      const { success, result } = message.Values;
      // A success says that the editor has it, not that the server does: that is seen from the nonce.
      if (!pending || success !== false) return hurry();
      if (result === 'unmodified') onUnmodified(pending);
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
