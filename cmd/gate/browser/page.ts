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

export interface EditorPage extends Pick<Frame, 'post' | 'say'> {
  open(url: string, fields: Record<string, string | number>): void;
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
  config: SVC.Config;
  events: PageEvents;
}

/** The editor's page in its frame: opens documents and understands what the page says (postMessage of the editor). */
export function createPage({ container, origin, texts, config, events }: PageOptions): EditorPage {
  const title = config.document?.title;
  const frame = createFrame({
    container,
    origin,
    title: title === undefined ? texts.frameTitle : `${texts.frameTitle}: ${title}`,
    width: config.width,
    height: config.height,
    onMessage,
  });
  const loading = createLoading({ origin, texts, onFail });
  let phase: 'silent' | 'ready' | 'loaded' | 'failed' = 'silent';
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
    if (step === 'Failed') onLost({ reason: step });
    if (step !== 'Frame_Ready' && step !== 'Document_Loaded') return;
    frame.post('Host_PostmessageReady');
    if (phase === 'silent') greet();
    // It comes again after the editor has lost its connection and found it.
    if (step === 'Document_Loaded' && phase !== 'loaded') onLoaded();
  }

  function greet(): void {
    phase = 'ready';
    // Otherwise the editor removes itself before anything is saved.
    frame.post('Disable_Default_UIAction', { action: 'UI_Close', disable: true });
    frame.post('Error_Messages', { list: Object.entries(texts.editorMessages).map(([type, msg]) => ({ type, msg })) });
    events.onReady();
  }

  function onLoaded(): void {
    phase = 'loaded';
    loading.done();
    frame.say(texts.loaded);
    const { activeElement } = document;
    if (config.autofocus !== false && (!activeElement || activeElement === document.body)) {
      frame.focus();
      frame.post('Grab_Focus');
    }
    events.onLoaded();
  }

  function onLost(detail: Record<string, unknown>): void {
    if (phase === 'loaded') events.onLost(detail);
    else if (phase !== 'failed') loading.fail(detail);
  }

  function onFail(error: SVC.EditorError): void {
    phase = 'failed';
    events.onFailed(error);
  }

  return {
    open(url, fields) {
      phase = 'silent';
      loading.begin();
      frame.open(url, fields);
    },
    opened: loading.wait,
    giveUp: loading.stop,
    isReady: () => phase === 'ready' || phase === 'loaded',
    post: frame.post,
    say: frame.say,
    remove: frame.remove,
  };
}
