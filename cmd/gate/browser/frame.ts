import { type EditorMessage, readMessage, writeMessage } from './messages.ts';
import { randomName } from './random.ts';

/** The iframe with the editor's page in it. */
export interface Frame {
  /** Opens a page by a form POST, so that the token is in no address. */
  open(url: string, fields: Record<string, string | number>): void;
  post(id: string, values?: Record<string, unknown>): void;
  focus(): void;
  /** Tells people who can't see it what is going on. */
  say(text: string): void;
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
}

const HIDDEN: Partial<CSSStyleDeclaration> = {
  position: 'absolute',
  width: '1px',
  height: '1px',
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
};

export function createFrame({ container, origin, title, width, height, onMessage }: FrameOptions): Frame {
  const { ownerDocument: page } = container;
  const iframe = page.createElement('iframe');
  iframe.name = `svc-${randomName()}`;
  iframe.title = title;
  // Without the origin a permission would go to the address in `src` only, and there is none.
  iframe.allow = ['clipboard-read', 'clipboard-write', 'fullscreen'].map((name) => `${name} ${origin}`).join('; ');
  // Properties, not a style attribute, which a Content-Security-Policy may forbid.
  Object.assign(iframe.style, { border: '0', display: 'block', width: cssLength(width), height: cssLength(height) });
  const status = page.createElement('div');
  status.setAttribute('role', 'status');
  Object.assign(status.style, HIDDEN);
  container.append(status, iframe);
  if (height === undefined && iframe.offsetHeight === 0) iframe.style.height = '600px';

  const listener = (event: MessageEvent): void => {
    const message = readMessage(event, origin, iframe.contentWindow);
    if (message) onMessage(message);
  };
  window.addEventListener('message', listener);

  return {
    open(url, fields) {
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
    post(id, values) {
      iframe.contentWindow?.postMessage(writeMessage(id, values), origin);
    },
    focus() {
      iframe.focus();
    },
    say(text) {
      status.textContent = text;
    },
    remove() {
      window.removeEventListener('message', listener);
      iframe.remove();
      status.remove();
    },
  };
}

function cssLength(value: string | number = '100%'): string {
  return typeof value === 'number' ? `${value}px` : value;
}
