import { createFrame, type Frame } from './frame.ts';
import { createLoading, type Loading } from './loading.ts';
import type { EditorMessage } from './messages.ts';
import type { Texts } from './texts.ts';

/** What the editor's page tells. */
export interface PageEvents {
  /** The page answers. */
  onReady(): void;
  /** The document is there. */
  onLoaded(): void;
  /** Its frame was moved in the page, and shows nothing any more. */
  onMoved(): void;
  /** The document did not open. */
  onFailed(error: SVC.EditorError): void;
  /** The connection of an open document has ended. */
  onLost(detail: Record<string, unknown>): void;
  onModified(modified: boolean): void;
  onSaveAnswer(message: EditorMessage): void;
  /** The user has asked for a save. */
  onSaving(): void;
  /** Somebody has come or gone. */
  onPeople(): void;
  onCloseButton(): void;
}

export interface EditorPage extends Pick<Frame, 'open' | 'empty' | 'isThere' | 'post' | 'say'> {
  /** A document is to be opened: its time begins. */
  begin: Loading['begin'];
  /** Settles when the document that was opened last is there, or will not be. */
  opened: Loading['wait'];
  /** Gives up waiting for it. */
  giveUp: Loading['stop'];
  /** Whether the page has answered. */
  isReady(): boolean;
  remove(): void;
}

export interface PageOptions {
  container: HTMLElement;
  /** Origin of the service. */
  origin: string;
  texts: Texts;
  /** Of the document, if it has one. */
  title: string | undefined;
  config: SVC.Config;
  events: PageEvents;
}

/** How long the editor, having said that something failed, may take to say what. */
const REASON_MS = 250;

/** The editor's page in its frame: opens documents and understands what the page says (postMessage of the editor). */
export function createPage({ container, origin, texts, title, config, events }: PageOptions): EditorPage {
  const frame = createFrame({
    container,
    origin,
    title: title === undefined ? texts.frameTitle : `${texts.frameTitle}: ${title}`,
    width: config.width,
    height: config.height,
    onMessage,
    onMoved: events.onMoved,
  });
  const loading = createLoading({ origin, texts, onFail });
  let phase: 'silent' | 'ready' | 'loaded' | 'lost' | 'failed' = 'silent';
  let greeted = false;
  let failing: ReturnType<typeof setTimeout> | undefined;
  frame.say(texts.loading);

  function onMessage(message: EditorMessage): void {
    const { MessageId: id, Values: values } = message;
    loading.heard();
    if (id === 'App_LoadingStatus') onLoadingStatus(values.Status);
    else if (id === 'Action_Load_Resp' && values.success === false) onLost({ ...message });
    else if (id === 'Doc_ModifiedStatus') events.onModified(values.Modified === true);
    else if (id === 'Action_Save_Resp') events.onSaveAnswer(message);
    else if (id === 'UI_Save') events.onSaving();
    else if (id === 'Views_List') events.onPeople();
    else if (id === 'UI_Close') events.onCloseButton();
    // An idle document is opened anew by the editor itself.
    else if (id === 'Session_Closed' && values.Reason !== 'DocumentIdle') onLost({ ...message });
  }

  function onLoadingStatus(step: unknown): void {
    if (step === 'Failed') onLostSoon({ reason: step });
    // Also of a page that the editor has loaded anew.
    if (step === 'Initialized') greeted = false;
    if (step !== 'Frame_Ready' && step !== 'Document_Loaded') return;
    frame.post('Host_PostmessageReady');
    if (!greeted) greet();
    // It comes again after the editor has lost its connection and found it.
    if (step === 'Document_Loaded' && phase !== 'loaded') onLoaded();
  }

  function onLostSoon(detail: Record<string, unknown>): void {
    clearTimeout(failing);
    failing = setTimeout(() => onLost(detail), REASON_MS);
  }

  function greet(): void {
    greeted = true;
    if (phase === 'silent') phase = 'ready';
    // Otherwise the editor removes itself before anything is saved.
    frame.post('Disable_Default_UIAction', { action: 'UI_Close', disable: true });
    const list = Object.entries(texts.editorMessages).map(([type, msg]) => ({ type, msg }));
    if (list.length > 0) frame.post('Error_Messages', { list });
    events.onReady();
  }

  function onLoaded(): void {
    const again = phase === 'lost';
    phase = 'loaded';
    clearTimeout(failing);
    frame.say(texts.loaded);
    if (again) return;
    loading.done();
    const { activeElement } = document;
    if (config.autofocus !== false && (!activeElement || activeElement === document.body)) {
      frame.focus();
      frame.post('Grab_Focus');
    }
    events.onLoaded();
  }

  function onLost(detail: Record<string, unknown>): void {
    clearTimeout(failing);
    if (phase === 'loaded') {
      phase = 'lost';
      events.onLost(detail);
    } else if (phase !== 'lost' && phase !== 'failed') loading.fail(detail);
  }

  function onFail(error: SVC.EditorError): void {
    phase = 'failed';
    events.onFailed(error);
  }

  return {
    begin: loading.begin,
    open(url, fields) {
      phase = 'silent';
      greeted = false;
      clearTimeout(failing);
      loading.asked();
      frame.open(url, fields);
    },
    empty: frame.empty,
    isThere: frame.isThere,
    opened: loading.wait,
    giveUp(error) {
      clearTimeout(failing);
      loading.stop(error);
    },
    isReady: () => phase !== 'silent' && phase !== 'failed',
    post: frame.post,
    say: frame.say,
    remove: frame.remove,
  };
}
