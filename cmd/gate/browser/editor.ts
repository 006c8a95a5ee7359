import { checkConfig, labelsOf, serverOrigin, sessionRequest } from './config.ts';
import { containerOf, freeContainer, occupy } from './container.ts';
import { createEnding, createQueue } from './defer.ts';
import { asEditorError, closedError, notLoaded } from './errors.ts';
import { createEmit } from './events.ts';
import { allBack, givenBack, goesBack } from './going-back.ts';
import { infoOf, type Known } from './info.ts';
import { watchLeaving } from './leaving.ts';
import { createOpenDocument } from './open-document.ts';
import { savedVersion } from './saving.ts';
import { createServer, type Session } from './server.ts';
import { textsFor } from './texts.ts';

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
  const known: Known = {
    status: 'loading',
    session: undefined,
    state: undefined,
    version: undefined,
    modified: false,
  };
  let queuedSave: Promise<SVC.SaveResult> | undefined;
  let closing: Promise<void> | undefined;
  const opened = createOpenDocument({
    container,
    origin,
    texts,
    title,
    config,
    known,
    server,
    emit,
    isOver,
    failToLoad,
    tell,
    save,
    isRemoved,
    onReady: () => emit('onReady', getInfo()),
    onDocumentLoaded: () => emit('onDocumentLoaded', getInfo()),
    onCloseButton: () => void close('user').catch(() => {}),
  });
  const { page, enter, open, openBehind, present } = opened;

  const unwatchLeaving = watchLeaving({ server, session: () => known.session, onKept, onBack: onPageBack });
  page.begin();
  const started = start();
  return { save, close: () => close('method'), destroy, setReadOnly, getInfo };

  async function start(): Promise<void> {
    try {
      await allBack();
      if (isOver()) return;
      const made = await server.create(sessionRequest(config));
      if (isOver() || known.status === 'failed') return await server.remove(made);
      opened.watch();
      enter(made);
      open(made);
    } catch (error) {
      if (!isOver() && known.status !== 'failed') failToLoad(asEditorError(error));
    }
  }

  function failToLoad(error: SVC.EditorError): void {
    known.status = 'failed';
    page.giveUp(error);
    tell(error, true);
  }

  /** @param shown there is nothing else to look at */
  function tell({ code, message, detail }: SVC.EditorError, shown = false): void {
    const note = detail['reason'] === 'changes_lost';
    if (!opened.recovery.isAway()) page.say(message, shown ? 'seen' : note ? 'note' : 'unseen');
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
    if (!known.session || (known.status !== 'loaded' && known.status !== 'closing')) throw notLoaded();
    if (known.session.mode === 'view')
      return { ...savedVersion(await toldIfFails(opened.askState())), unmodified: true };
    return toldIfFails(opened.saveNow());
  }

  async function toldIfFails<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (!isOver()) tell(asEditorError(error));
      throw error;
    }
  }

  function setReadOnly(on: boolean): Promise<SVC.Mode> {
    const wanted = on ? 'view' : 'edit';
    return unlessOver(() =>
      inTurn(async () => {
        await toldIfFails(present());
        const { session } = known;
        if (!session || !isLoaded()) throw notLoaded();
        const before = session.mode;
        if (before === wanted) return wanted;
        if (before === 'edit') await saveNow();
        await toldIfFails(present());
        // It may have been asked to close meanwhile; a connection that was lost again is no reason to give up.
        if (!isThere()) throw closedError();
        const granted = await toldIfFails(server.setMode(session, wanted));
        if (!isThere()) throw closedError();
        enter(granted);
        // Its mode is fixed once a document is open: it has to be opened anew.
        if (granted.mode !== before) {
          await openBehind(granted);
          await page.opened();
        }
        return granted.mode;
      }),
    );
  }

  /** The editor saves and closes a document whose page has gone. */
  function onKept(): boolean {
    if (known.status === 'closing') destroy();
    if (isOver() || known.status === 'failed') return false;
    known.status = 'loading';
    opened.recovery.cancel();
    page.empty();
    return true;
  }

  async function onPageBack(granted: Promise<Session>): Promise<void> {
    page.begin();
    try {
      const now = await granted;
      if (isOver() || known.status === 'failed') return;
      if (now !== known.session) enter(now);
      open(now);
    } catch (error) {
      if (!isOver()) failToLoad(asEditorError(error));
    }
  }

  function close(reason: 'method' | 'user'): Promise<void> {
    if (known.status === 'closed') return Promise.resolve();
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
    // A reader has nothing to save, so nothing that could keep the reader from leaving.
    if (known.session?.mode === 'edit') await toldIfFails(present());
    const before = known.status;
    known.status = 'closing';
    page.giveUp(closedError());
    try {
      if (before === 'loaded') await inTurn(async () => known.session?.mode === 'view' || saveNow());
    } catch (error) {
      if (known.status === 'closing') known.status = before;
      throw error;
    }
    if (isOver()) throw closedError();
    if (page.isReady()) page.post('Action_Close');
    if (known.session) await givenBack(server.remove(known.session));
    if (isOver()) throw closedError();
    end('closed');
  }

  function destroy(): void {
    if (isOver()) return;
    goesBack(known.session ? server.remove(known.session) : started);
    end('destroyed');
  }

  function end(how: 'closed' | 'destroyed'): void {
    known.status = how;
    giveUp();
    page.giveUp(closedError());
    opened.stop();
    unwatchLeaving();
    freeContainer(container);
  }

  function isLoaded(): boolean {
    return known.status === 'loaded';
  }

  function isThere(): boolean {
    return isLoaded() || (known.status === 'loading' && opened.recovery.isAway());
  }

  function getInfo(): SVC.Info {
    return infoOf(known);
  }
}
