import { type Deferred, defer, Timer } from './async.ts';
import { type EditorMessage, Frame, type FramedPage, type FrameEvents, type OpenedSession } from './frame.ts';
import { Heartbeat } from './heartbeat.ts';
import { LOAD_MS, Loading } from './opening.ts';
import type { Context } from './state.ts';

/** The document of a page (open-document.ts). */
export interface PageEvents extends FrameEvents {
  onLoaded(): void;
  onLost(detail: Record<string, unknown>): void;
  wakeUp(): void;
  onModified(modified: boolean): void;
  onMessage(message: EditorMessage): void;
  comeBack(how: { isTold: boolean }): void;
  failToLoad(error: SVC.EditorError): void;
}

/** Options of opening a document anew. */
export interface ReopenOptions {
  /** Milliseconds for the service to answer, and then again for the page to post its first message. */
  patience: number;
  /** Sentence that is shown meanwhile. */
  text: string;
  /**
   * True if the page that is shown stays connected until then, so that the editor's server does not close the document.
   * Browsers let one socket to a server wait for another that does not get through (RFC 6455, 4.1).
   */
  keep: boolean;
}

type Phase = 'silent' | 'heard' | 'loaded' | 'asleep' | 'lost' | 'given up' | 'failed';

/** Time for the editor to post the reason of a failure. */
const REASON_MS = 250;
/** Reason of a lost document whose page has found another connection. */
const RECONNECTED = 'reconnected';
/** Time for a loaded page to post a message; one that is not the editor's never does. */
const FIRST_MESSAGE_MS = 3_000;
/** The shortest time for a page that has begun to arrive. */
const ARRIVAL_MS = 5_000;
/** The editor's page (25.04.9) takes the focus several times while it opens a document, and still some seconds later. */
const SETTLED_MS = 8_000;

/** The editor's page in its frame: opens documents and understands the page's messages (postMessage of the editor). */
export class EditorPage implements FramedPage {
  readonly frame: Frame;
  readonly loading: Loading;
  readonly heartbeat: Heartbeat;
  readonly #context: Context;
  readonly #document: PageEvents;
  #phase: Phase = 'silent';
  /** The opening behind the page that is shown; resolves with whether the document is there. */
  #attempt: Deferred<boolean> | undefined;
  readonly #patience = new Timer();
  /** It has found another connection, and so keeps the document open. */
  #hasRejoined = false;
  #isGreeted = false;
  #loadedAt = 0;
  /** Waits for the reason of a failure. */
  readonly #failing = new Timer();

  constructor(context: Context, document: PageEvents) {
    this.#context = context;
    this.#document = document;
    this.frame = new Frame(context, this, document);
    this.loading = new Loading(context, (error) => this.#onFail(error));
    this.heartbeat = new Heartbeat(this.frame, () => this.#loseSoon({ reason: 'disconnected' }));
    this.frame.say(context.texts.loading);
  }

  open(session: OpenedSession): void {
    this.loading.onRequested();
    this.frame.open(session);
  }

  /** Opens a document anew behind the page that is shown; resolves with whether it is there. */
  reopen(session: OpenedSession, { patience, text, keep }: ReopenOptions): Promise<boolean> {
    this.endAttempt(false);
    this.#phase = 'silent';
    this.#isGreeted = false;
    this.#failing.stop();
    this.heartbeat.stop();
    this.#attempt = defer();
    const { promise } = this.#attempt;
    this.#limitAttempt(patience, () => {
      if (this.frame.isBlank()) this.endAttempt(false);
      else this.#limitAttempt(Math.max(patience, ARRIVAL_MS));
    });
    this.frame.openBehind(session, keep || this.#hasRejoined);
    this.cover(text);
    return promise;
  }

  /** Ends an opening behind the page that is shown. @param isThere whether it has its document */
  endAttempt(isThere: boolean): void {
    const attempt = this.#attempt;
    if (!attempt) return;
    this.#patience.stop();
    this.#attempt = undefined;
    if (!isThere) {
      // Its messages come too late.
      this.#phase = 'given up';
      this.cover();
    }
    attempt.resolve(isThere);
  }

  /** Stops waiting for the document. */
  giveUp(): void {
    this.#failing.stop();
    this.loading.stop();
  }

  /** Keeps the user from typing into a page that has lost its document, and says so. */
  cover(text = this.#context.texts.reopening): void {
    this.frame.say(text, 'over');
  }

  /** Goes on with the page that was covered. */
  resume(): void {
    this.frame.reveal();
    this.#onLoaded();
  }

  /** Posts a message, after one that wakes a page that sleeps, which would pass on nothing. */
  send(id: string, values: Record<string, unknown>): void {
    if (this.heartbeat.isIdle()) this.frame.post('Grab_Focus');
    this.frame.post(id, values);
  }

  remove(): void {
    this.giveUp();
    this.heartbeat.stop();
    this.endAttempt(false);
    this.frame.remove();
  }

  /** Returns whether the page has its document, unless its connection is dead without its notice. */
  isLoaded(): boolean {
    return this.#phase === 'loaded' && !this.#failing.isRunning();
  }

  isSettled(): boolean {
    return this.isLoaded() && Date.now() - this.#loadedAt > SETTLED_MS;
  }

  /** Returns whether the editor has closed the document because nobody used it. */
  isAsleep(): boolean {
    return this.#phase === 'asleep';
  }

  /** Returns whether the page has answered. */
  isReady(): boolean {
    return this.#isGreeted && this.#phase !== 'failed';
  }

  /** The page that was opened last has been loaded, whatever it is. */
  onPage(): void {
    if (this.#phase === 'silent') this.#limitAttempt(FIRST_MESSAGE_MS);
  }

  onMessage(message: EditorMessage): void {
    const { MessageId: id, Values: values } = message;
    if (this.#phase === 'given up') return;
    this.loading.onMessage();
    this.heartbeat.onMessage(message);
    if (this.#phase === 'silent') {
      this.#phase = 'heard';
      this.#limitAttempt(LOAD_MS);
    }
    if (id === 'App_LoadingStatus') this.#onLoadingStatus(values['Status']);
    else if (id === 'Action_Load_Resp' && values['success'] === false) this.#lose({ ...message });
    else if (id === 'Doc_ModifiedStatus') this.#onModified(values['Modified'] === true);
    else if (id === 'View_Removed') this.heartbeat.ask();
    else if (id === 'User_Active') this.#document.wakeUp();
    else if (id === 'UI_Cancel_Password') this.#lose({ ...message });
    else if (id === 'Session_Closed') this.#onClosed(message);
    else this.#document.onMessage(message);
  }

  /** A page that has found another connection reports the document there, which may lack what was typed. */
  #onModified(modified: boolean): void {
    if (!this.#failing.isRunning() && this.#phase !== 'lost') this.#document.onModified(modified);
  }

  #onClosed(message: EditorMessage): void {
    if (message.Values['Reason'] !== 'DocumentIdle') this.#lose({ ...message });
    else if (this.#phase === 'loaded') {
      this.#failing.stop();
      this.heartbeat.stop();
      this.#phase = 'asleep';
    }
  }

  #onLoadingStatus(step: unknown): void {
    if (step === 'Failed') this.#loseSoon({ reason: step });
    // Also of a page that the editor has loaded anew.
    if (step === 'Initialized') this.#isGreeted = false;
    if (step !== 'Frame_Ready' && step !== 'Document_Loaded') return;
    if (this.#phase === 'lost') {
      this.#hasRejoined = true;
      return;
    }
    this.frame.post('Host_PostmessageReady');
    if (!this.#isGreeted) this.#greet();
    // A page that says so again has lost its connection and found another.
    if (this.#phase === 'loaded') this.#loseSoon({ reason: RECONNECTED });
    else if (step === 'Document_Loaded') this.#onLoaded();
  }

  #loseSoon(detail: Record<string, unknown>): void {
    this.#failing.start(REASON_MS, () => this.#lose(detail));
  }

  #greet(): void {
    const { texts, state, emit } = this.#context;
    this.#isGreeted = true;
    // From here on it shows by itself how far it is, and may ask for a password.
    this.frame.reveal();
    if (this.#attempt) this.frame.say(texts.loading);
    // Otherwise the editor removes itself before anything is saved.
    this.frame.post('Disable_Default_UIAction', { action: 'UI_Close', disable: true });
    const list = Object.entries(texts.editorMessages).map(([type, msg]) => ({ type, msg }));
    if (list.length > 0) this.frame.post('Error_Messages', { list });
    emit('onReady', state.toInfo());
  }

  #onLoaded(): void {
    this.#phase = 'loaded';
    this.#loadedAt = Date.now();
    this.#hasRejoined = false;
    this.#failing.stop();
    this.frame.say(this.#context.texts.loaded);
    this.frame.dropKept();
    this.loading.stop();
    const { activeElement } = document;
    const isFree = this.#context.config.autofocus !== false && (!activeElement || activeElement === document.body);
    if (this.frame.takeFocus() || isFree) {
      this.frame.focus();
      this.frame.post('Grab_Focus');
    }
    this.heartbeat.start();
    this.#document.onLoaded();
    this.endAttempt(true);
  }

  #lose(detail: Record<string, unknown>): void {
    this.#failing.stop();
    if (this.#attempt) this.endAttempt(false);
    else if (this.#phase === 'loaded') {
      this.#phase = 'lost';
      this.#hasRejoined = detail['reason'] === RECONNECTED;
      this.heartbeat.stop();
      this.#document.onLost(detail);
    } else if (['lost', 'asleep', 'failed'].includes(this.#phase)) return;
    // Without a reason the editor closes the connection while it unloads the document.
    else if ((detail as Partial<EditorMessage>).Values?.['errorType'] !== 'websocketproxyfailure')
      this.loading.fail(detail);
    else {
      this.#phase = 'lost';
      this.loading.failLater(detail);
      this.#document.comeBack({ isTold: true });
    }
  }

  #onFail(error: SVC.EditorError): void {
    this.endAttempt(false);
    this.#phase = 'failed';
    this.heartbeat.stop();
    this.#document.failToLoad(error);
  }

  #limitAttempt(ms: number, onEnd: () => void = () => this.endAttempt(false)): void {
    if (this.#attempt) this.#patience.start(ms, onEnd);
  }
}
