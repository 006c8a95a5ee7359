import { type EditorMessage, readMessage, writeMessage } from './messages.ts';
import { randomName } from './random.ts';

/** The iframe with the editor's page in it. */
export interface Frame {
  /**
   * Opens a page by a form POST, so that the token is in no address. Each time in an iframe of its own: going on in one
   * that has shown a page would be a step in the history of the page around it.
   */
  open(url: string, fields: Record<string, string | number>): void;
  /** Ends the page that it shows, and with it that page's connections. */
  empty(): void;
  /** Whether it is still in the page: a form for a frame that is not opens a window. */
  isThere(): boolean;
  post(id: string, values?: Record<string, unknown>): void;
  focus(): void;
  /** Tells people who can't see it what is going on; everybody when it is `shown`. */
  say(text: string, shown?: boolean): void;
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
}

const HIDDEN: Partial<CSSStyleDeclaration> = {
  position: 'absolute',
  width: '1px',
  height: '1px',
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
  padding: '0',
};
/** Over the frame, and without a change of what is around it. */
const SHOWN: Partial<CSSStyleDeclaration> = {
  position: 'absolute',
  width: 'auto',
  height: 'auto',
  overflow: 'visible',
  clipPath: 'none',
  whiteSpace: 'normal',
  padding: '12px 16px',
  font: '16px/1.5 system-ui, sans-serif',
  color: '#8c1d18',
  background: '#fff',
};

export function createFrame({ container, origin, title, width, height, onMessage, onMoved }: FrameOptions): Frame {
  const { ownerDocument: page } = container;
  const size = { width: cssLength(width), height: cssLength(height) };
  const status = page.createElement('div');
  status.setAttribute('role', 'status');
  Object.assign(status.style, HIDDEN);
  /** The window of the frame, which has another one in another place; null while it is put in. */
  let shown: Window | null = null;
  let iframe = makeIframe();
  let used = false;
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
    },
    empty: renew,
    isThere: () => iframe.isConnected,
    post(id, values) {
      iframe.contentWindow?.postMessage(writeMessage(id, values), origin);
    },
    focus() {
      iframe.focus();
    },
    say(text, shown = false) {
      status.textContent = text;
      Object.assign(status.style, shown ? SHOWN : HIDDEN);
    },
    remove() {
      window.removeEventListener('message', listener);
      onScreen.disconnect();
      iframe.remove();
      status.remove();
    },
  };
}

function cssLength(value: string | number = '100%'): string {
  return typeof value === 'number' ? `${value}px` : value;
}
