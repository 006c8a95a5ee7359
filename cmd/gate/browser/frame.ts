import { pause, randomHex } from './async.ts';
import { guardFocus } from './focus.ts';
import { Overlay, type Visibility } from './overlay.ts';
import type { Session } from './server.ts';
import type { Context } from './state.ts';

export type OpenedSession = Pick<Session, 'editor_url' | 'form'>;

/** A message of the editor's page. */
export interface EditorMessage {
  MessageId: string;
  Values: Record<string, unknown>;
}

/** The origin of a message, and its content. */
export interface Posted {
  origin: string;
  source: unknown;
  data: unknown;
}

/** What is done with the page in the frame (page.ts). */
export interface FramedPage {
  onMessage(message: EditorMessage): void;
  /** The page that was opened last has been loaded, whatever it is. */
  onPage(): void;
  /** Returns whether its document has been there for a while. */
  isSettled(): boolean;
}

/** What happens to the frame. */
export interface FrameEvents {
  /** The frame was moved in the page, or taken out and put back: the browser has emptied it. */
  onMoved(): void;
  /** The element is not displayed any more, and pages in it cannot work until it is. */
  onHidden(): void;
}

/** Interval at which an element that is not displayed is looked at. */
const LOOK_MS = 200;

/** The iframe with the editor's page in it. */
export class Frame {
  readonly #context: Context;
  readonly #page: FramedPage;
  readonly #events: FrameEvents;
  readonly #document: Document;
  readonly #overlay: Overlay;
  readonly #size: { width: string; height: string };
  /** The window of the frame, which has another one in another place; null while it is put in. */
  #shown: Window | null = null;
  #iframe: HTMLIFrameElement;
  /** The page that stays until the one behind it is there. */
  #kept: HTMLIFrameElement | undefined;
  #wasFocused = false;
  #needsHeight: boolean;
  /** Notices when the element is displayed, and when it is not. */
  readonly #onScreen = new ResizeObserver(() => {
    if (this.#isDisplayed()) this.#setHeight();
    else if (!this.isUsable()) this.#events.onHidden();
  });

  constructor(context: Context, page: FramedPage, events: FrameEvents) {
    const { container, config } = context;
    const { width, height } = config;
    this.#context = context;
    this.#page = page;
    this.#events = events;
    this.#document = container.ownerDocument;
    this.#overlay = new Overlay(this.#document);
    this.#size = { width: toCssLength(width), height: toCssLength(height) };
    this.#iframe = this.#createIframe();
    container.append(this.#overlay.element, this.#iframe);
    this.#shown = this.#iframe.contentWindow;
    this.#needsHeight = height === undefined;
    this.#onScreen.observe(this.#overlay.element);
    window.addEventListener('message', (event) => this.#onMessage(event), { signal: context.over });
    const mayTakeFocus = (from?: Element): boolean =>
      page.isSettled() || (from ? container.contains(from) : config.autofocus !== false);
    guardFocus(container, mayTakeFocus, context.over);
  }

  /**
   * Returns whether a page can work in it. Where the element is not displayed, as in a closed dialog, pages in Firefox have
   * no selection, and the editor's (25.04.9) never opens its document.
   */
  isUsable(): boolean {
    return this.#isDisplayed() || this.#hasSelection();
  }

  /** Resolves when a page can work in it. */
  async usable(): Promise<void> {
    if (this.isUsable()) return;
    while (this.isConnected() && !this.#isDisplayed()) await pause(LOOK_MS);
  }

  /** Opens a page by a form POST, so that the token is in no address. */
  open({ editor_url: path, form: fields }: OpenedSession): void {
    this.#shown = this.#iframe.contentWindow;
    const form = this.#document.createElement('form');
    form.method = 'post';
    form.action = this.#context.origin + path;
    form.target = this.#iframe.name;
    form.style.display = 'none';
    for (const [name, value] of Object.entries(fields)) {
      const input = this.#document.createElement('input');
      Object.assign(input, { type: 'hidden', name, value: String(value) });
      form.append(input);
    }
    this.#context.container.append(form);
    // A field may be called `submit`.
    HTMLFormElement.prototype.submit.call(form);
    form.remove();
  }

  /**
   * Opens a page without showing it before `reveal`, in an iframe of its own: going on in one that has shown a page would
   * be a step in the history of the page around it.
   * @param keepsShown whether the page that is shown stays, and stays connected, until `dropKept`
   */
  openBehind(session: OpenedSession, keepsShown: boolean): void {
    this.#renew(keepsShown);
    this.#iframe.inert = true;
    this.#iframe.style.visibility = 'hidden';
    this.open(session);
  }

  /** Shows the page that was opened last. */
  reveal(): void {
    if (this.#kept) this.#kept.style.visibility = 'hidden';
    this.#iframe.inert = false;
    this.#iframe.style.visibility = '';
  }

  /** Returns whether nothing has come yet of the page that was opened last. */
  isBlank(): boolean {
    return isBlank(this.#iframe);
  }

  /** Ends the page that was kept. */
  dropKept(): void {
    this.#kept?.remove();
    this.#kept = undefined;
  }

  /** Ends the page that it shows, and with it that page's connections. */
  empty(): void {
    this.#renew(false);
  }

  /** Returns whether it is still in the page: a form for a frame that is not opens a window. */
  isConnected(): boolean {
    return this.#iframe.isConnected;
  }

  post(id: string, values: Record<string, unknown> = {}): void {
    const message = JSON.stringify({ MessageId: id, SendTime: Date.now(), Values: values });
    this.#iframe.contentWindow?.postMessage(message, this.#context.origin);
  }

  focus(): void {
    this.#iframe.focus();
  }

  /** Shows a status sentence. A frame that is covered takes no input. */
  say(text: string, visibility: Visibility = 'unseen'): void {
    const covers = visibility === 'over';
    if (covers) {
      const top = this.#kept ?? this.#iframe;
      if (this.#kept) this.#kept.style.visibility = '';
      this.#wasFocused ||= this.#document.activeElement === top;
      top.inert = true;
    }
    this.#overlay.show(text, visibility, this.#iframe);
    if (covers && this.#wasFocused) this.#overlay.element.focus();
  }

  /** Returns whether the keyboard is in the page, or was when the page was covered. */
  takeFocus(): boolean {
    const had = this.#wasFocused || this.#document.activeElement === this.#iframe;
    this.#wasFocused = false;
    return had;
  }

  remove(): void {
    this.#onScreen.disconnect();
    this.dropKept();
    this.#iframe.remove();
    this.#overlay.remove();
  }

  #createIframe(): HTMLIFrameElement {
    const { origin, title, texts } = this.#context;
    const iframe = this.#document.createElement('iframe');
    // A page isolated by `Cross-Origin-Embedder-Policy` shows no other frames of pages that are not.
    Object.assign(iframe, { credentialless: crossOriginIsolated });
    iframe.name = `svc-${randomHex()}`;
    iframe.title = title === undefined ? texts.frameTitle : `${texts.frameTitle}: ${title}`;
    // Without the origin a permission would go to the address in `src` only, and there is none.
    iframe.allow = `clipboard-read ${origin}; clipboard-write ${origin}; fullscreen ${origin}`;
    iframe.addEventListener('load', () => {
      if (iframe !== this.#iframe) return;
      if (!isBlank(iframe)) this.#page.onPage();
      if (!this.#shown || iframe.contentWindow === this.#shown) return;
      this.#shown = iframe.contentWindow;
      this.#events.onMoved();
    });
    // Properties, not a style attribute, which a Content-Security-Policy may forbid.
    Object.assign(iframe.style, { border: '0', display: 'block', ...this.#size });
    return iframe;
  }

  /** Goes on in another iframe. @param keepsShown whether the one that is shown stays, in front of it */
  #renew(keepsShown: boolean): void {
    const before = this.#iframe;
    this.#shown = null;
    this.#iframe = this.#createIframe();
    if (!keepsShown) this.dropKept();
    if (!keepsShown || this.#kept) {
      before.replaceWith(this.#iframe);
      return;
    }
    this.#kept = before;
    const [width, height] = [`${before.offsetWidth}px`, `${before.offsetHeight}px`];
    // A frame that was moved in the document would be empty: it only gets another style.
    before.after(this.#iframe);
    Object.assign(before.style, { position: 'absolute', width, height, zIndex: '1' });
  }

  /** Gives the frame a height of its own if its element, which is displayed, has none. */
  #setHeight(): void {
    if (!this.#needsHeight) return;
    this.#needsHeight = false;
    const probe = this.#document.createElement('div');
    probe.style.height = '100%';
    this.#iframe.style.display = 'none';
    this.#context.container.append(probe);
    if (probe.offsetHeight === 0) this.#size.height = '600px';
    probe.remove();
    Object.assign(this.#iframe.style, { display: 'block', ...this.#size });
  }

  #isDisplayed(): boolean {
    return this.#overlay.element.getClientRects().length > 0;
  }

  /** Returns whether pages beside it have a selection. */
  #hasSelection(): boolean {
    const probe = this.#document.createElement('iframe');
    this.#context.container.append(probe);
    const selection = probe.contentWindow?.getSelection();
    probe.remove();
    return selection !== null;
  }

  #onMessage(event: MessageEvent): void {
    const message = readMessage(event, this.#context.origin, this.#iframe.contentWindow);
    if (message) this.#page.onMessage(message);
  }
}

/** Returns whether a frame still has what it is created with: nothing. A page of another origin cannot be looked at. */
function isBlank({ contentWindow }: HTMLIFrameElement): boolean {
  try {
    return contentWindow?.location.href === 'about:blank';
  } catch {
    return false;
  }
}

function toCssLength(value: string | number = '100%'): string {
  return typeof value === 'number' ? `${value}px` : value;
}

/**
 * A message of one frame's page, undefined for everything else. Both must be right: the origin, since a frame may be
 * navigated by others, and the window, since other frames may show pages of that origin, such as a second editor.
 */
export function readMessage(event: Posted, origin: string, source: unknown): EditorMessage | undefined {
  if (event.origin !== origin || !source || event.source !== source) return undefined;
  // The editor always sends text.
  if (typeof event.data !== 'string') return undefined;
  try {
    const { MessageId, Values } = JSON.parse(event.data);
    if (typeof MessageId !== 'string') return undefined;
    return { MessageId, Values: { ...Values } };
  } catch {
    return undefined;
  }
}
