import { type EditorMessage, type FormFields, Frame } from './frame.ts';
import { Heartbeat } from './heartbeat.ts';
import { LOAD_MS, Loading, OpeningAttempt } from './opening.ts';
import type { Context } from './state.ts';

/** Events of the editor's page. */
export interface PageEvents {
  /** The page answers. */
  onReady(): void;
  /** The document is there. */
  onLoaded(): void;
  /** Its frame was moved in the page, and shows nothing any more. */
  onMoved(): void;
  /** The document did not open. */
  failToLoad(error: SVC.EditorError): void;
  /** The page of an open document has lost it, and does not get it back. */
  onLost(detail: Record<string, unknown>): void;
  /** The user is back at a document that was closed since nobody used it. */
  onAwake(): void;
  onModified(modified: boolean): void;
  /** The page has said something that does not matter to the opening of its document. */
  onMessage(message: EditorMessage): void;
}

/** Options of opening a document anew. */
export interface ReopenOptions {
  /** Milliseconds that the service has to answer; after that the page has at least as many to say something. */
  patience: number;
  /** Sentence that is shown meanwhile. */
  text: string;
  /**
   * True if the page that is shown stays connected until then, so that the editor's server does not close the document.
   * Browsers let one socket to a server wait for another that does not get through (RFC 6455, 4.1).
   */
  keep: boolean;
}

/** How a document is got back. */
export interface Return {
  /** Sentence that is shown meanwhile. */
  text?: string;
  /** True if it was told that the connection is lost. */
  isTold?: boolean;
  /** True if the session has to be given its place again. */
  renews?: boolean;
  /** Resolves when that may begin. */
  ready?: Promise<unknown>;
}

type Phase = 'silent' | 'heard' | 'loaded' | 'asleep' | 'lost' | 'given up' | 'failed';

/** Time for the editor to say what has failed. */
const REASON_MS = 250;
/** Reason of a lost document whose page has found another connection. */
const RECONNECTED = 'reconnected';
/** A page that is not the editor's says nothing, neither before nor after it is loaded; one that has begun to arrive. */
const [SPEECHLESS_MS, SPEECH_MS] = [3_000, 5_000];

/** The editor's page in its frame: opens documents and understands the page's messages (postMessage of the editor). */
export class EditorPage {
  readonly frame: Frame;
  readonly loading: Loading;
  readonly heartbeat: Heartbeat;
  readonly #context: Context;
  readonly #events: PageEvents;
  #phase: Phase = 'silent';
  #attempt: OpeningAttempt | undefined;
  /** It has found another connection, and so keeps the document open. */
  #hasRejoined = false;
  #isGreeted = false;
  #failing: ReturnType<typeof setTimeout> | undefined;

  constructor(context: Context, events: PageEvents) {
    this.#context = context;
    this.#events = events;
    this.frame = new Frame(context, {
      onMessage: (message) => this.#onMessage(message),
      onMoved: () => events.onMoved(),
      onPage: () => this.#phase === 'silent' && this.#attempt?.limit(SPEECHLESS_MS),
    });
    this.loading = new Loading(context, (error) => this.#onFail(error));
    this.heartbeat = new Heartbeat(
      (id) => this.frame.post(id),
      () => this.#loseSoon({ reason: 'disconnected' }),
    );
    this.frame.say(context.texts.loading);
  }

  open(url: string, fields: FormFields): void {
    this.#startOver();
    this.frame.say(this.#context.texts.loading);
    this.loading.onRequested();
    this.frame.open(url, fields);
  }

  /** Opens a document anew behind the page that is shown; resolves with whether it is there. */
  reopen(url: string, fields: FormFields, { patience, text, keep }: ReopenOptions): Promise<boolean> {
    this.#startOver();
    return new Promise((resolve) => {
      this.#attempt = new OpeningAttempt({
        patience,
        extend: () => (this.frame.isBlank() ? 0 : Math.max(patience, SPEECH_MS)),
        onEnd: (ok) => {
          this.#attempt = undefined;
          if (!ok) this.#abandon();
          resolve(ok);
        },
      });
      this.frame.openBehind(url, fields, keep || this.#hasRejoined);
      this.cover(text);
    });
  }

  /** Ends what is being opened behind: its frame was emptied. */
  interrupt(): void {
    this.#attempt?.end(false);
  }

  /** Stops waiting for the document. */
  giveUp(error: SVC.EditorError): void {
    this.#settle();
    this.loading.stop(error);
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

  /** Wakes a page that sleeps, which would pass on nothing. */
  wake(): void {
    if (this.heartbeat.isIdle()) this.frame.post('Grab_Focus');
  }

  remove(): void {
    this.heartbeat.stop();
    this.#attempt?.end(false);
    this.frame.remove();
  }

  /** Returns whether the page that is shown has its document, as far as it knows. */
  isLoaded(): boolean {
    return this.#phase === 'loaded' && this.#failing === undefined;
  }

  /** Returns whether the document was closed since nobody used it, until somebody does. */
  isAsleep(): boolean {
    return this.#phase === 'asleep';
  }

  /** Returns whether the page has answered. */
  isReady(): boolean {
    return this.#isGreeted && this.#phase !== 'failed';
  }

  #onMessage(message: EditorMessage): void {
    const { MessageId: id, Values: values } = message;
    const events = this.#events;
    if (this.#phase === 'given up') return;
    this.loading.onMessage();
    this.heartbeat.onMessage(message);
    if (this.#phase === 'silent') {
      this.#phase = 'heard';
      this.#attempt?.limit(LOAD_MS);
    }
    if (id === 'App_LoadingStatus') this.#onLoadingStatus(values['Status']);
    else if (id === 'Action_Load_Resp' && values['success'] === false) this.#lose({ ...message });
    else if (id === 'Doc_ModifiedStatus') this.#onModified(values['Modified'] === true);
    else if (id === 'View_Removed') this.heartbeat.ask();
    else if (id === 'User_Active' && this.#phase === 'asleep') events.onAwake();
    else if (id === 'UI_Cancel_Password') this.#lose({ ...message });
    else if (id === 'Session_Closed') this.#onClosed(message);
    else events.onMessage(message);
  }

  /** A page that has found another connection reports the document there, which may lack what was typed. */
  #onModified(modified: boolean): void {
    if (this.#failing === undefined && this.#phase !== 'lost') this.#events.onModified(modified);
  }

  #onClosed(message: EditorMessage): void {
    if (message.Values['Reason'] !== 'DocumentIdle') this.#lose({ ...message });
    else if (this.#phase === 'loaded') {
      this.#settle();
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

  /** Forgets what was thought to fail. */
  #settle(): void {
    clearTimeout(this.#failing);
    this.#failing = undefined;
  }

  #loseSoon(detail: Record<string, unknown>): void {
    this.#settle();
    this.#failing = setTimeout(() => this.#lose(detail), REASON_MS);
  }

  #greet(): void {
    const { texts } = this.#context;
    this.#isGreeted = true;
    // From here on it shows by itself how far it is, and may ask for a password.
    this.frame.reveal();
    if (this.#attempt) this.frame.say(texts.loading);
    // Otherwise the editor removes itself before anything is saved.
    this.frame.post('Disable_Default_UIAction', { action: 'UI_Close', disable: true });
    const list = Object.entries(texts.editorMessages).map(([type, msg]) => ({ type, msg }));
    if (list.length > 0) this.frame.post('Error_Messages', { list });
    this.#events.onReady();
  }

  #onLoaded(): void {
    this.#phase = 'loaded';
    this.#hasRejoined = false;
    this.#settle();
    this.frame.say(this.#context.texts.loaded);
    this.frame.dropKept();
    this.loading.done();
    const { activeElement } = document;
    const isFree = this.#context.config.autofocus !== false && (!activeElement || activeElement === document.body);
    if (this.frame.takeFocus() || isFree) {
      this.frame.focus();
      this.frame.post('Grab_Focus');
    }
    this.heartbeat.start();
    this.#events.onLoaded();
    this.#attempt?.end(true);
  }

  #lose(detail: Record<string, unknown>): void {
    this.#settle();
    if (this.#attempt) this.#attempt.end(false);
    else if (this.#phase === 'loaded') {
      this.#phase = 'lost';
      this.#hasRejoined = detail['reason'] === RECONNECTED;
      this.heartbeat.stop();
      this.#events.onLost(detail);
    } else if (!['lost', 'asleep', 'failed'].includes(this.#phase)) this.loading.fail(detail);
  }

  #onFail(error: SVC.EditorError): void {
    this.#attempt?.end(false);
    this.#phase = 'failed';
    this.heartbeat.stop();
    this.#events.failToLoad(error);
  }

  /** Gives up the page, since another is opened in its place: its messages come too late. */
  #abandon(): void {
    this.#phase = 'given up';
    this.cover();
  }

  #startOver(): void {
    this.#attempt?.end(false);
    this.#phase = 'silent';
    this.#isGreeted = false;
    this.#settle();
    this.heartbeat.stop();
  }
}
