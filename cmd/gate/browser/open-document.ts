import { closedError, editorError, notLoaded } from './errors.ts';
import type { Emit } from './events.ts';
import type { Floor } from './floor.ts';
import type { Known } from './info.ts';
import { createPage, type EditorPage, type PageOptions, type Reopening } from './page.ts';
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
  /** The same behind the page that is shown, which keeps the document open until then. */
  openBehind(granted: Session): Promise<void>;
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

/** How long the service may take to answer before a document that changes its mode is opened in the plain way. */
const SWITCH_MS = 15_000;

export function createOpenDocument(options: OpenDocumentOptions): OpenDocument {
  const { origin, texts, config, known, server, emit, isOver, failToLoad, tell, isRemoved } = options;
  let watch: Watch | undefined;
  /** When the editor fetched the document that is shown; null until the server has told. */
  let loadedAt: string | null = null;
  /** What there was when the document was modified. */
  let floor: Floor | undefined;
  let openings = 0;
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
    version: () => known.version ?? 0,
    isOpen: () => known.status !== 'loading' && !recovery.isAway(),
    doubtful: unstored.doubtful,
  });
  const recovery = createRecovery({
    texts,
    page,
    saving,
    unstored,
    probe: () => (known.session ? server.probe(known.session) : Promise.reject(notLoaded())),
    renew,
    reopen: (patience, keep) => reopen({ patience, text: texts.reopening, keep }),
    isOpen: () => known.status === 'loaded',
    isEditing: () => known.session?.mode === 'edit',
    isSilent: server.isSilent,
    floor: () => floor && { ...floor },
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

  async function openBehind(granted: Session): Promise<void> {
    recovery.cancel();
    page.begin();
    beginLoading();
    if (isOver()) return;
    const mine = openings;
    const there = await reopen({ patience: SWITCH_MS, text: texts.loading, keep: true });
    if (!there && !isOver() && known.status === 'loading' && openings === mine) open(granted);
  }

  function beginLoading(): void {
    openings += 1;
    if (!isOver()) known.status = 'loading';
    setModified(false);
    unstored.reset();
  }

  function open(granted: Session): void {
    beginLoading();
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
    loadedAt = null;
    watch?.nudge();
    watch?.look();
    options.onDocumentLoaded();
  }

  function onModifiedStatus(on: boolean): void {
    if (known.modified && !on) watch?.hurry();
    if (!known.modified && on) floor = known.version === undefined ? undefined : { version: known.version, loadedAt };
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
    loadedAt = current.loaded_at;
    if (floor) floor.loadedAt ??= loadedAt;
    if (known.version !== undefined && current.version > known.version) {
      // It is of a save before these changes: of one after them the page would have said that nothing is left to save.
      if (floor && unstored.doubtful()) floor.version = current.version;
      known.version = current.version;
      unstored.stored();
      emit('onSaved', savedVersion(current));
    }
    saving.onState(current);
  }

  /** The page of an open document has lost it. */
  function onLost(detail: Record<string, unknown>): void {
    saving.disprove();
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

  async function reopen(options: Reopening): Promise<boolean> {
    const { session } = known;
    const address = session && addressOf(session);
    return address !== undefined && !isRemoved() && page.reopen(address, session?.form ?? {}, options);
  }

  function askState(): Promise<SessionState> {
    return known.session ? server.state(known.session, saving.nonce()) : Promise.reject(notLoaded());
  }

  return {
    page,
    recovery,
    watch() {
      watch = createWatch({
        ask: async () => {
          if (isRemoved()) throw closedError();
          if (recovery.isAway()) throw editorError('network_error', texts.ended);
          return askState();
        },
        expecting: unstored.any,
        onState,
        onUnreachable: recovery.doubt,
        onTrouble: (error) => recovery.isAway() || tell(error),
      });
    },
    enter,
    open,
    openAnew,
    openBehind,
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
