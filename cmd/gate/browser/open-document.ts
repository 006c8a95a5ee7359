import { closedError, editorError, notLoaded } from './errors.ts';
import type { Emit } from './events.ts';
import type { Known } from './info.ts';
import { createPage, type EditorPage, type PageOptions } from './page.ts';
import { createRecovery, type Recovery } from './recovery.ts';
import { createSaving, type Saving, savedVersion } from './saving.ts';
import type { Server, Session, SessionState } from './server.ts';
import { createUnstored } from './unstored.ts';
import { createWatch, type Watch } from './watching.ts';

/** A session's document: its page, its saves, and what the server knows of it. */
export interface OpenDocument {
  page: EditorPage;
  recovery: Pick<Recovery, 'cancel' | 'isAway'>;
  /** Begins to ask the server. */
  watch(): void;
  /** Takes over what the server has granted. */
  enter(granted: Session): void;
  open(granted: Session): void;
  /** The same for a document that was open already: its time begins anew. */
  openAnew(granted: Session): void;
  /** Waits for a document that its page has lost. @throws {SVC.EditorError} `network_error` */
  present(): Promise<void>;
  saveNow: Saving['save'];
  askState(): Promise<SessionState>;
  stop(): void;
}

export interface OpenDocumentOptions extends Omit<PageOptions, 'events'> {
  known: Known;
  server: Server;
  emit: Emit;
  isOver(): boolean;
  failToLoad(error: SVC.EditorError): void;
  tell(error: SVC.EditorError): void;
  /** Saves in its turn. */
  save(): Promise<unknown>;
  /** Whether the element has gone: then nothing may be opened. */
  isRemoved(): boolean;
  onReady(): void;
  onDocumentLoaded(): void;
  onCloseButton(): void;
}

export function createOpenDocument(options: OpenDocumentOptions): OpenDocument {
  const { origin, texts, config, known, server, emit, isOver, failToLoad, tell, isRemoved } = options;
  let watch: Watch | undefined;
  const saveSoon = (): void => void options.save().catch(() => {});
  const page = createPage({
    ...options,
    events: {
      onReady: options.onReady,
      onLoaded,
      onMoved: () => known.session && known.status !== 'closing' && openAnew(known.session),
      onFailed: failToLoad,
      onLost,
      onAwake: comeBack,
      onModified: onModifiedStatus,
      onSaveAnswer: (message) => saving.onAnswer(message),
      onSaving: () => watch?.hurry(),
      onPeople: () => watch?.nudge(),
      onCloseButton: options.onCloseButton,
    },
  });
  const unstored = createUnstored(config.warnBeforeUnload === true, saveSoon);
  const saving = createSaving({
    texts,
    post: page.post,
    wake: page.wake,
    hurry: () => watch?.hurry(),
    state: askState,
    doubtful: unstored.doubtful,
  });
  const recovery = createRecovery({
    texts,
    page,
    saving,
    unstored,
    probe: () => (known.session ? server.probe(known.session) : Promise.reject(notLoaded())),
    renew,
    reopen,
    isOpen: () => known.status === 'loaded',
    isEditing: () => known.session?.mode === 'edit',
    version: () => known.version,
    onOffline: () => watch?.look(),
    onLost,
    onBack: (unsaved) => unsaved && known.session?.mode === 'edit' && saveSoon(),
    onOver: failToLoad,
  });

  function enter(granted: Session): void {
    known.session = granted;
    known.version ??= granted.version;
    if (granted.limited) {
      emit('onLimitReached', { message: granted.message ?? texts.limitReached, limit: granted.limit });
    }
  }

  function openAnew(granted: Session): void {
    recovery.cancel();
    page.begin();
    open(granted);
  }

  function open(granted: Session): void {
    if (!isOver()) known.status = 'loading';
    setModified(false);
    unstored.reset();
    // A handler may have destroyed it just now.
    if (isOver() || isRemoved()) return;
    const address = addressOf(granted);
    if (address !== undefined) page.open(address, granted.form);
    else failToLoad(editorError('load_failed', texts.loadFailed, { reason: 'editor_url' }));
  }

  /** The token is for nobody else. */
  function addressOf({ editor_url: path }: Session): string | undefined {
    const url = new URL(path, origin);
    return url.origin === origin ? url.href : undefined;
  }

  function onLoaded(): void {
    if (known.status !== 'loading' && known.status !== 'failed') return;
    known.status = 'loaded';
    watch?.nudge();
    options.onDocumentLoaded();
  }

  function onModifiedStatus(on: boolean): void {
    if (known.modified && !on) watch?.hurry();
    setModified(on);
    if (known.session?.mode === 'edit') unstored.modified(on);
  }

  function setModified(on: boolean): void {
    if (known.modified === on) return;
    known.modified = on;
    emit('onModified', { modified: on });
  }

  function onState(current: SessionState): void {
    known.state = current;
    if (known.version !== undefined && current.version > known.version) {
      known.version = current.version;
      unstored.stored();
      emit('onSaved', savedVersion(current));
    }
    saving.onState(current);
  }

  /** The page of an open document has lost it. */
  function onLost(detail: Record<string, unknown>): void {
    if ((known.status !== 'loaded' && known.status !== 'closing') || isRemoved()) return;
    comeBack();
    tell(editorError('network_error', texts.ended, detail));
  }

  function comeBack(): void {
    known.status = 'loading';
    recovery.lose();
  }

  async function renew(): Promise<void> {
    if (known.session) enter(await server.setMode(known.session, known.session.mode));
  }

  async function reopen(patience: number): Promise<boolean> {
    const { session } = known;
    const address = session && addressOf(session);
    return address !== undefined && !isRemoved() && page.reopen(address, session?.form ?? {}, patience);
  }

  function askState(): Promise<SessionState> {
    return known.session ? server.state(known.session, saving.nonce()) : Promise.reject(notLoaded());
  }

  return {
    page,
    recovery,
    watch() {
      watch = createWatch({
        ask: async () => (isRemoved() ? Promise.reject(closedError()) : askState()),
        expecting: unstored.any,
        onState,
        onUnreachable: recovery.check,
        onTrouble: (error) => recovery.isAway() || tell(error),
      });
    },
    enter,
    open,
    openAnew,
    present() {
      if (page.isAsleep()) comeBack();
      return recovery.back();
    },
    saveNow: saving.save,
    askState,
    stop() {
      watch?.stop();
      saving.stop();
      recovery.stop();
      unstored.stop();
      page.remove();
    },
  };
}
