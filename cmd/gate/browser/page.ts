import { type Attempt, createAttempt } from './attempt.ts';
import { createFrame, type Frame } from './frame.ts';
import { createLoading, type Loading } from './loading.ts';
import type { EditorMessage } from './messages.ts';
import { createPulse } from './pulse.ts';
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
  /** The page of an open document has lost it, and does not get it back. */
  onLost(detail: Record<string, unknown>): void;
  /** The user is back at a document that was closed since nobody used it. */
  onAwake(): void;
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
  /** Opens a document anew behind the page that is shown; resolves with whether it is there. */
  reopen(url: string, fields: Record<string, string | number>, options: Reopening): Promise<boolean>;
  /** Keeps the user from typing into a page that has lost its document, and says so. */
  cover(text?: string): void;
  /** Whether the page that is shown has its document, as far as it knows. */
  isLoaded(): boolean;
  /** Goes on with it after it was covered. */
  resume(): void;
  /** Finds out soon whether the page still has its document. */
  look(): void;
  /** Milliseconds since the page last said anything by itself. */
  quietMs(): number;
  /** Milliseconds since somebody used keys or mouse in the page. */
  unusedMs(): number;
  /** Whether the page sleeps since nobody uses it. */
  isIdle(): boolean;
  /** Wakes a page that sleeps, which would pass on nothing. */
  wake(): void;
  /** Whether the document was closed since nobody used it, until somebody does. */
  isAsleep(): boolean;
  /** Whether the page has answered. */
  isReady(): boolean;
  remove(): void;
}

/** How a document is opened anew. */
export interface Reopening {
  /** Milliseconds that the service has to answer; after that the page has at least as many to say something. */
  patience: number;
  /** What is said meanwhile. */
  text: string;
  /**
   * Whether the page that is shown stays connected until then, so that the editor's server does not close the document.
   * Browsers let one socket to a server wait for another that does not get through (RFC 6455, 4.1).
   */
  keep: boolean;
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

/** For the editor to say what has failed. */
const REASON_MS = 250;
/** Why a document is lost whose page has found another connection. */
const RECONNECTED = 'reconnected';
/** A page that is not the editor's says nothing, neither before nor after it is loaded; one that has begun to arrive. */
const [SPEECHLESS_MS, SPEECH_MS] = [3_000, 5_000];
/** Contract: Browser events. */
const LOAD_MS = 120_000;

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
    onPage: () => phase === 'silent' && attempt?.within(SPEECHLESS_MS),
  });
  const loading = createLoading({ origin, texts, onFail });
  const pulse = createPulse({ post: frame.post, onDeaf: () => onLostSoon({ reason: 'disconnected' }) });
  let phase: 'silent' | 'heard' | 'ready' | 'loaded' | 'asleep' | 'lost' | 'given up' | 'failed' = 'silent';
  let attempt: Attempt | undefined;
  /** It has found another connection, and so keeps the document open. */
  let rejoined = false;
  let greeted = false;
  let failing: ReturnType<typeof setTimeout> | undefined;
  frame.say(texts.loading);

  function onMessage(message: EditorMessage): void {
    const { MessageId: id, Values: values } = message;
    if (phase === 'given up') return;
    loading.heard();
    pulse.onMessage(message);
    if (phase === 'silent') {
      phase = 'heard';
      attempt?.within(LOAD_MS);
    }
    if (id === 'App_LoadingStatus') onLoadingStatus(values['Status']);
    else if (id === 'Action_Load_Resp' && values['success'] === false) onLost({ ...message });
    else if (id === 'Doc_ModifiedStatus') onModified(values['Modified'] === true);
    else if (id === 'Action_Save_Resp') events.onSaveAnswer(message);
    else if (id === 'UI_Save') events.onSaving();
    else if (id === 'Views_List') events.onPeople();
    else if (id === 'View_Removed') pulse.look();
    else if (id === 'UI_Close') events.onCloseButton();
    else if (id === 'User_Active' && phase === 'asleep') events.onAwake();
    else if (id === 'UI_Cancel_Password') onLost({ ...message });
    else if (id === 'Session_Closed') onClosed(message);
  }

  /** A page that has found another connection tells of the document there, which may lack what was typed. */
  function onModified(on: boolean): void {
    if (failing === undefined && phase !== 'lost') events.onModified(on);
  }

  function onClosed(message: EditorMessage): void {
    if (message.Values['Reason'] !== 'DocumentIdle') onLost({ ...message });
    else if (phase === 'loaded') {
      settle();
      pulse.stop();
      phase = 'asleep';
    }
  }

  function onLoadingStatus(step: unknown): void {
    if (step === 'Failed') onLostSoon({ reason: step });
    // Also of a page that the editor has loaded anew.
    if (step === 'Initialized') greeted = false;
    if (step !== 'Frame_Ready' && step !== 'Document_Loaded') return;
    if (phase === 'lost') {
      rejoined = true;
      return;
    }
    frame.post('Host_PostmessageReady');
    if (!greeted) greet();
    // A page that says so again has lost its connection and found another.
    if (phase === 'loaded') onLostSoon({ reason: RECONNECTED });
    else if (step === 'Document_Loaded') onLoaded();
  }

  /** Forgets what was thought to fail. */
  function settle(): void {
    clearTimeout(failing);
    failing = undefined;
  }

  function onLostSoon(detail: Record<string, unknown>): void {
    settle();
    failing = setTimeout(() => onLost(detail), REASON_MS);
  }

  function greet(): void {
    greeted = true;
    if (phase === 'heard') phase = 'ready';
    // From here on it shows by itself how far it is, and may ask for a password.
    frame.reveal();
    if (attempt) frame.say(texts.loading);
    // Otherwise the editor removes itself before anything is saved.
    frame.post('Disable_Default_UIAction', { action: 'UI_Close', disable: true });
    const list = Object.entries(texts.editorMessages).map(([type, msg]) => ({ type, msg }));
    if (list.length > 0) frame.post('Error_Messages', { list });
    events.onReady();
  }

  function onLoaded(): void {
    phase = 'loaded';
    rejoined = false;
    settle();
    frame.say(texts.loaded);
    frame.settle();
    loading.done();
    const { activeElement } = document;
    const free = config.autofocus !== false && (!activeElement || activeElement === document.body);
    if (frame.hasFocus() || free) {
      frame.focus();
      frame.post('Grab_Focus');
    }
    pulse.start();
    events.onLoaded();
    attempt?.end(true);
  }

  function onLost(detail: Record<string, unknown>): void {
    settle();
    if (attempt) attempt.end(false);
    else if (phase === 'loaded') {
      phase = 'lost';
      rejoined = detail['reason'] === RECONNECTED;
      pulse.stop();
      events.onLost(detail);
    } else if (phase !== 'lost' && phase !== 'asleep' && phase !== 'failed') loading.fail(detail);
  }

  function onFail(error: SVC.EditorError): void {
    attempt?.end(false);
    phase = 'failed';
    pulse.stop();
    events.onFailed(error);
  }

  /** Another one is opened in its place: what it still says is too late. */
  function giveUpPage(): void {
    phase = 'given up';
    cover();
  }

  const cover = (text = texts.reopening): void => frame.say(text, 'over');

  function startOver(): void {
    attempt?.end(false);
    phase = 'silent';
    greeted = false;
    settle();
    pulse.stop();
  }

  return {
    begin: loading.begin,
    open(url, fields) {
      startOver();
      frame.say(texts.loading);
      loading.asked();
      frame.open(url, fields);
    },
    reopen(url, fields, { patience, text, keep }) {
      startOver();
      return new Promise((resolve) => {
        attempt = createAttempt({
          patience,
          more: () => (frame.isBlank() ? 0 : Math.max(patience, SPEECH_MS)),
          onEnd(ok) {
            attempt = undefined;
            if (!ok) giveUpPage();
            resolve(ok);
          },
        });
        frame.openBehind(url, fields, keep || rejoined);
        cover(text);
      });
    },
    empty: frame.empty,
    isThere: frame.isThere,
    opened: loading.wait,
    giveUp(error) {
      settle();
      loading.stop(error);
    },
    cover,
    isLoaded: () => phase === 'loaded' && failing === undefined,
    resume() {
      frame.reveal();
      onLoaded();
    },
    look: pulse.look,
    quietMs: pulse.quietMs,
    unusedMs: pulse.unusedMs,
    isIdle: pulse.isIdle,
    wake: () => pulse.isIdle() && frame.post('Grab_Focus'),
    isAsleep: () => phase === 'asleep',
    isReady: () => greeted && phase !== 'failed',
    post: frame.post,
    say: frame.say,
    remove() {
      pulse.stop();
      attempt?.end(false);
      frame.remove();
    },
  };
}
