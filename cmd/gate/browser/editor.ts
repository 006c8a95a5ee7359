import { checkConfig, labelsOf, serverOrigin, sessionRequest } from './config.ts';
import { containerOf, freeContainer, occupy } from './container.ts';
import { createEnding, createQueue } from './defer.ts';
import { asEditorError, closedError, editorError, notLoaded } from './errors.ts';
import { createEmit } from './events.ts';
import { allBack, givenBack, goesBack } from './going-back.ts';
import { infoOf } from './info.ts';
import { watchLeaving } from './leaving.ts';
import { createPage } from './page.ts';
import { createRecovery } from './recovery.ts';
import { createSaving, savedVersion } from './saving.ts';
import { createServer, type Session, type SessionState } from './server.ts';
import { textsFor } from './texts.ts';
import { createUnstored } from './unstored.ts';
import { createWatch, type Watch } from './watching.ts';

/** `SVC.Editor` (api.d.ts). @param scriptUrl where this script came from */
export function createEditor(
  target: string | HTMLElement,
  config: SVC.Config,
  scriptUrl: string | undefined,
): SVC.Editor {
  checkConfig(config);
  const container = containerOf(target);
  const origin = serverOrigin(config.serverUrl, scriptUrl);
  occupy(container);

  const { lang, title } = labelsOf(config);
  const texts = textsFor(lang);
  const emit = createEmit(config.events);
  const server = createServer(origin, texts);
  const inTurn = createQueue();
  const { isOver, unlessOver, end: giveUp } = createEnding(closedError);
  let status: SVC.Info['state'] = 'loading';
  let session: Session | undefined;
  let state: SessionState | undefined;
  let version: number | undefined;
  let modified = false;
  let watch: Watch | undefined;
  let queuedSave: Promise<SVC.SaveResult> | undefined;
  let closing: Promise<void> | undefined;

  const page = createPage({
    container,
    origin,
    texts,
    title,
    config,
    events: {
      onReady: () => emit('onReady', getInfo()),
      onLoaded,
      onMoved: () => session && status !== 'closing' && openAnew(session),
      onFailed: failToLoad,
      onLost,
      onAwake: comeBack,
      onModified: onModifiedStatus,
      onSaveAnswer: (message) => saving.onAnswer(message),
      onSaving: () => watch?.hurry(),
      onPeople: () => watch?.nudge(),
      onCloseButton: () => void close('user').catch(() => {}),
    },
  });
  const unstored = createUnstored(config.warnBeforeUnload === true, () => void save().catch(() => {}));
  const { doubtful } = unstored;
  const saving = createSaving({
    texts,
    post: page.post,
    wake: page.wake,
    hurry: () => watch?.hurry(),
    state: askState,
    doubtful,
  });
  const recovery = createRecovery({
    texts,
    page,
    saving,
    unstored,
    probe: () => (session ? server.probe(session) : Promise.reject(notLoaded())),
    renew,
    reopen,
    isOpen: isLoaded,
    isEditing: () => isLoaded() && session?.mode === 'edit',
    version: () => version,
    onOffline: () => watch?.look(),
    onLost,
    onBack: (unsaved) => unsaved && session?.mode === 'edit' && void save().catch(() => {}),
    onOver: failToLoad,
  });

  const unwatchLeaving = watchLeaving({ server, session: () => session, onKept, onBack: onPageBack });
  page.begin();
  const started = start();
  return { save, close: () => close('method'), destroy, setReadOnly, getInfo };

  async function start(): Promise<void> {
    try {
      await allBack();
      if (isOver()) return;
      const made = await server.create(sessionRequest(config));
      if (isOver() || status === 'failed') return await server.remove(made);
      watch = createWatch({
        ask: async () => (isRemoved() ? Promise.reject(closedError()) : askState()),
        expecting: unstored.any,
        onState,
        onUnreachable: recovery.check,
        onTrouble: (error) => recovery.isAway() || tell(error),
      });
      enter(made);
      open(made);
    } catch (error) {
      if (!isOver() && status !== 'failed') failToLoad(asEditorError(error));
    }
  }

  /** Takes over what the server has granted. */
  function enter(granted: Session): void {
    session = granted;
    version ??= granted.version;
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
    if (!isOver()) status = 'loading';
    setModified(false);
    unstored.reset();
    // A handler may have destroyed it just now.
    if (isOver() || isRemoved()) return;
    page.open(pageOf(granted), granted.form);
  }

  /** The token is for nobody else. */
  function pageOf({ editor_url: path }: Session): string {
    const url = new URL(path, origin);
    if (url.origin === origin) return url.href;
    throw editorError('load_failed', texts.loadFailed, { reason: 'editor_url' });
  }

  function onLoaded(): void {
    if (status !== 'loading' && status !== 'failed') return;
    status = 'loaded';
    watch?.nudge();
    emit('onDocumentLoaded', getInfo());
  }

  function onModifiedStatus(on: boolean): void {
    if (modified && !on) watch?.hurry();
    setModified(on);
    if (session?.mode === 'edit') unstored.modified(on);
  }

  function setModified(on: boolean): void {
    if (modified === on) return;
    modified = on;
    emit('onModified', { modified });
  }

  function onState(current: SessionState): void {
    state = current;
    if (version !== undefined && current.version > version) {
      version = current.version;
      unstored.stored();
      emit('onSaved', savedVersion(current));
    }
    saving.onState(current);
  }

  /** The page of an open document has lost it. */
  function onLost(detail: Record<string, unknown>): void {
    if ((status !== 'loaded' && status !== 'closing') || isRemoved()) return;
    comeBack();
    tell(editorError('network_error', texts.ended, detail));
  }

  function comeBack(): void {
    status = 'loading';
    recovery.lose();
  }

  /** Waits for a document that its page has lost. */
  function present(): Promise<void> {
    if (page.isAsleep()) comeBack();
    return recovery.back();
  }

  async function renew(): Promise<void> {
    if (session) enter(await server.setMode(session, session.mode));
  }

  async function reopen(): Promise<boolean> {
    return session !== undefined && !isRemoved() && page.reopen(pageOf(session), session.form);
  }

  function failToLoad(error: SVC.EditorError): void {
    status = 'failed';
    page.giveUp(error);
    tell(error, true);
  }

  /** @param shown there is nothing else to look at */
  function tell({ code, message, detail }: SVC.EditorError, shown = false): void {
    if (!recovery.isAway()) page.say(message, shown ? 'seen' : 'unseen');
    // biome-ignore lint/suspicious/noConsole: a page that does not listen is one in the making
    if (!config.events?.onError) console.error(`SVC.Editor: ${code}: ${message}`, detail);
    emit('onError', { code, message, detail });
  }

  /** Whether the page has removed the element, or emptied it: then this is over, too. */
  function isRemoved(): boolean {
    if (page.isThere()) return false;
    // biome-ignore lint/suspicious/noConsole: nobody else would say why nothing is to be seen
    console.warn('SVC.Editor: destroyed, since its element is not in the page any more');
    destroy();
    return true;
  }

  /** Calls that come while one waits for its turn share it: all that was typed before them is in it. */
  function save(): Promise<SVC.SaveResult> {
    queuedSave ??= unlessOver(() =>
      inTurn(() => {
        queuedSave = undefined;
        return saveNow();
      }),
    );
    return queuedSave;
  }

  async function saveNow(): Promise<SVC.SaveResult> {
    await toldIfFails(present());
    if (!session || (status !== 'loaded' && status !== 'closing')) throw notLoaded();
    if (session.mode === 'view') return { ...savedVersion(await toldIfFails(askState())), unmodified: true };
    return toldIfFails(saving.save());
  }

  async function toldIfFails<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (!isOver()) tell(asEditorError(error));
      throw error;
    }
  }

  function askState(): Promise<SessionState> {
    return session ? server.state(session, saving.nonce()) : Promise.reject(notLoaded());
  }

  function setReadOnly(on: boolean): Promise<SVC.Mode> {
    const wanted = on ? 'view' : 'edit';
    return unlessOver(() =>
      inTurn(async () => {
        await toldIfFails(present());
        if (!session || !isLoaded()) throw notLoaded();
        const before = session.mode;
        if (before === wanted) return wanted;
        if (before === 'edit') await saveNow();
        // It may have been asked to close meanwhile.
        if (!isLoaded()) throw closedError();
        const granted = await toldIfFails(server.setMode(session, wanted));
        if (!isLoaded()) throw closedError();
        enter(granted);
        // Its mode is fixed once a document is open: it has to be opened anew.
        if (granted.mode !== before) {
          openAnew(granted);
          await page.opened();
        }
        return granted.mode;
      }),
    );
  }

  /** The editor saves and closes a document whose page has gone. */
  function onKept(): boolean {
    if (status === 'closing') destroy();
    if (isOver() || status === 'failed') return false;
    status = 'loading';
    recovery.cancel();
    page.empty();
    return true;
  }

  async function onPageBack(granted: Promise<Session>): Promise<void> {
    page.begin();
    try {
      const now = await granted;
      if (isOver() || status === 'failed') return;
      if (now !== session) enter(now);
      open(now);
    } catch (error) {
      if (!isOver()) failToLoad(asEditorError(error));
    }
  }

  function close(reason: 'method' | 'user'): Promise<void> {
    if (status === 'closed') return Promise.resolve();
    closing ??= unlessOver(leave).then(
      () => emit('onClose', { reason }),
      (error) => {
        closing = undefined;
        throw error;
      },
    );
    closing.catch(() => {});
    return closing;
  }

  async function leave(): Promise<void> {
    await toldIfFails(present());
    const before = status;
    status = 'closing';
    page.giveUp(closedError());
    try {
      // A reader has nothing to save, so nothing that could keep the reader from leaving.
      if (before === 'loaded') await inTurn(async () => session?.mode === 'view' || saveNow());
    } catch (error) {
      if (status === 'closing') status = before;
      throw error;
    }
    if (isOver()) throw closedError();
    if (page.isReady()) page.post('Action_Close');
    if (session) await givenBack(server.remove(session));
    if (isOver()) throw closedError();
    end('closed');
  }

  function destroy(): void {
    if (isOver()) return;
    goesBack(session ? server.remove(session) : started);
    end('destroyed');
  }

  function end(how: 'closed' | 'destroyed'): void {
    status = how;
    giveUp();
    page.giveUp(closedError());
    watch?.stop();
    saving.stop();
    recovery.stop();
    unstored.stop();
    unwatchLeaving();
    page.remove();
    freeContainer(container);
  }

  function isLoaded(): boolean {
    return status === 'loaded';
  }

  function getInfo(): SVC.Info {
    return infoOf({ status, session, state, version, modified });
  }
}
