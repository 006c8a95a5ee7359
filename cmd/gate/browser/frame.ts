import { createCover, type Shown } from './cover.ts';
import { type EditorMessage, readMessage, writeMessage } from './messages.ts';
import { randomName } from './random.ts';

/** The iframe with the editor's page in it. */
export interface Frame {
  /**
   * Opens a page by a form POST, so that the token is in no address. Each time in an iframe of its own: going on in one
   * that has shown a page would be a step in the history of the page around it.
   */
  open(url: string, fields: Record<string, string | number>): void;
  /**
   * The same without showing it before `reveal`.
   * @param keepIt the page that is shown stays, and stays connected, until `settle`
   */
  openBehind(url: string, fields: Record<string, string | number>, keepIt: boolean): void;
  /** Shows the page that was opened last. */
  reveal(): void;
  /** Whether nothing has come yet of what was opened last. */
  isBlank(): boolean;
  /** Ends the page that was kept. */
  settle(): void;
  /** Ends the page that it shows, and with it that page's connections. */
  empty(): void;
  /** Whether it is still in the page: a form for a frame that is not opens a window. */
  isThere(): boolean;
  post(id: string, values?: Record<string, unknown>): void;
  focus(): void;
  /** Tells what is going on; to people who can't see it only, unless told. A frame that is covered takes no input. */
  say(text: string, shown?: Shown): void;
  /** Whether the keyboard is in the page, or was when the page was covered. */
  hasFocus(): boolean;
  remove(): void;
}

export interface FrameOptions {
  container: HTMLElement;
  /** Origin of the service. */
  origin: string;
  title: string;
  width: string | number | undefined;
  height: string | number | undefined;
  onMessage(message: EditorMessage): void;
  /** It was moved in the page, or taken out and put back: the browser has emptied it. */
  onMoved(): void;
  /** The page that was opened last has been loaded, whatever it is. */
  onPage(): void;
}

export function createFrame({
  container,
  origin,
  title,
  width,
  height,
  onMessage,
  onMoved,
  onPage,
}: FrameOptions): Frame {
  const { ownerDocument: page } = container;
  const size = { width: cssLength(width), height: cssLength(height) };
  const cover = createCover(page);
  const { element: status } = cover;
  /** The window of the frame, which has another one in another place; null while it is put in. */
  let shown: Window | null = null;
  let iframe = makeIframe();
  let used = false;
  /** The page that stays until the one behind it is there. */
  let kept: HTMLIFrameElement | undefined;
  let focused = false;
  container.append(status, iframe);
  shown = iframe.contentWindow;
  const onScreen = new ResizeObserver(() => settleHeight());
  if (height === undefined) onScreen.observe(status);

  function makeIframe(): HTMLIFrameElement {
    const made = page.createElement('iframe');
    made.name = `svc-${randomName()}`;
    made.title = title;
    // Without the origin a permission would go to the address in `src` only, and there is none.
    made.allow = ['clipboard-read', 'clipboard-write', 'fullscreen'].map((name) => `${name} ${origin}`).join('; ');
    made.addEventListener('load', () => {
      if (made !== iframe) return;
      if (used && !isBlank(made)) onPage();
      if (!shown || made.contentWindow === shown) return;
      shown = made.contentWindow;
      onMoved();
    });
    // Properties, not a style attribute, which a Content-Security-Policy may forbid.
    Object.assign(made.style, { border: '0', display: 'block', ...size });
    return made;
  }

  function renew(): void {
    const before = iframe;
    shown = null;
    iframe = makeIframe();
    before.replaceWith(iframe);
    settle();
  }

  /** A frame that was moved in the document would be empty: it only gets another style. */
  function renewBehind(keepIt: boolean): void {
    const before = iframe;
    shown = null;
    iframe = makeIframe();
    iframe.inert = true;
    iframe.style.visibility = 'hidden';
    if (!keepIt) settle();
    if (keepIt && !kept) keep(before);
    else before.replaceWith(iframe);
  }

  function keep(before: HTMLIFrameElement): void {
    kept = before;
    const { offsetWidth, offsetHeight } = before;
    before.after(iframe);
    Object.assign(before.style, {
      position: 'absolute',
      width: `${offsetWidth}px`,
      height: `${offsetHeight}px`,
      zIndex: '1',
    });
  }

  function settle(): void {
    kept?.remove();
    kept = undefined;
  }

  function submit(url: string, fields: Record<string, string | number>): void {
    shown = iframe.contentWindow;
    used = true;
    const form = page.createElement('form');
    form.method = 'post';
    form.action = url;
    form.target = iframe.name;
    form.style.display = 'none';
    for (const [name, value] of Object.entries(fields)) {
      const input = page.createElement('input');
      Object.assign(input, { type: 'hidden', name, value: String(value) });
      form.append(input);
    }
    container.append(form);
    // A field may be called `submit`.
    HTMLFormElement.prototype.submit.call(form);
    form.remove();
  }

  /** All of an element without a height is nothing; whether it has one shows when it is on the screen. */
  function settleHeight(): void {
    if (status.getClientRects().length === 0) return;
    onScreen.disconnect();
    const probe = page.createElement('div');
    probe.style.height = '100%';
    iframe.style.display = 'none';
    container.append(probe);
    if (probe.offsetHeight === 0) size.height = '600px';
    probe.remove();
    Object.assign(iframe.style, { display: 'block', ...size });
  }

  const listener = (event: MessageEvent): void => {
    const message = readMessage(event, origin, iframe.contentWindow);
    if (message) onMessage(message);
  };
  window.addEventListener('message', listener);

  return {
    open(url, fields) {
      if (used) renew();
      submit(url, fields);
    },
    openBehind(url, fields, keepIt) {
      renewBehind(keepIt);
      submit(url, fields);
    },
    reveal() {
      if (kept) kept.style.visibility = 'hidden';
      iframe.inert = false;
      iframe.style.visibility = '';
    },
    settle,
    isBlank: () => isBlank(iframe),
    empty: renew,
    isThere: () => iframe.isConnected,
    post(id, values) {
      iframe.contentWindow?.postMessage(writeMessage(id, values), origin);
    },
    focus() {
      iframe.focus();
    },
    say(text, how = 'unseen') {
      if (how === 'over') {
        const top = kept ?? iframe;
        if (kept) kept.style.visibility = '';
        focused ||= page.activeElement === top;
        top.inert = true;
      }
      cover.say(text, how, iframe);
      if (how === 'over' && focused) status.focus();
    },
    hasFocus() {
      const has = focused || page.activeElement === iframe;
      focused = false;
      return has;
    },
    remove() {
      window.removeEventListener('message', listener);
      onScreen.disconnect();
      settle();
      iframe.remove();
      cover.remove();
    },
  };
}

/** Whether a frame still has what it is made with: nothing. A page of another origin can't be looked at. */
function isBlank({ contentWindow }: HTMLIFrameElement): boolean {
  try {
    return contentWindow?.location.href === 'about:blank';
  } catch {
    return false;
  }
}

function cssLength(value: string | number = '100%'): string {
  return typeof value === 'number' ? `${value}px` : value;
}
