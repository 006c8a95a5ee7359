import { Timer } from './async.ts';
import { getLanguage } from './texts.ts';

/**
 * Ways to show a sentence: to screen readers only; to everybody; to everybody for a while, or until it is clicked; over
 * the frame, which then takes no input.
 */
export type Visibility = 'unseen' | 'seen' | 'note' | 'over';

const NOTE_MS = 20_000;

/** Resets the page's own styles. Absolute, so that nothing around it moves. */
const PLAIN: Partial<CSSStyleDeclaration> = { all: 'initial', position: 'absolute', display: 'block' };
const FONT = 'system-ui, sans-serif';
const STYLES: Record<Exclude<Visibility, 'note'>, Partial<CSSStyleDeclaration>> = {
  unseen: { width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)', whiteSpace: 'nowrap' },
  seen: { padding: '12px 16px', font: `16px/1.5 ${FONT}`, color: '#8c1d18', background: '#fff' },
  over: {
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'center',
    textAlign: 'center',
    boxSizing: 'border-box',
    overflow: 'hidden',
    padding: '16px',
    font: `18px/1.5 ${FONT}`,
    color: '#1f2328',
    background: 'rgba(255, 255, 255, 0.9)',
    cursor: 'wait',
    zIndex: '2',
  },
};

/** The element beside the frame that shows status sentences. */
export class Overlay {
  readonly element: HTMLElement;
  #covered: HTMLElement | undefined;
  readonly #hiding = new Timer();
  readonly #onResize = new ResizeObserver(() => this.#resize());

  constructor(page: Document) {
    this.element = page.createElement('div');
    this.element.setAttribute('role', 'status');
    // So that it can take the keyboard away from the frame.
    this.element.tabIndex = -1;
    this.element.addEventListener('click', () => {
      if (this.#hiding.isRunning()) this.#hide();
    });
    this.#style('unseen');
  }

  /** @param frame the element that it covers if it is shown `over` */
  show(text: string, visibility: Visibility, frame: HTMLElement): void {
    this.#hide();
    this.#onResize.disconnect();
    // The page around it may be in another one, in which a screen reader would read it out.
    this.element.lang = getLanguage(text);
    this.element.textContent = text;
    this.#style(visibility === 'note' ? 'seen' : visibility);
    if (visibility === 'note') this.#hiding.start(NOTE_MS, () => this.#hide());
    this.#covered = visibility === 'over' ? frame : undefined;
    if (!this.#covered) return;
    this.#resize();
    this.#onResize.observe(this.#covered);
  }

  remove(): void {
    this.#hide();
    this.#onResize.disconnect();
    this.element.remove();
  }

  #style(name: keyof typeof STYLES): void {
    Object.assign(this.element.style, PLAIN, STYLES[name]);
  }

  #resize(): void {
    if (!this.#covered) return;
    this.element.style.width = `${this.#covered.offsetWidth}px`;
    this.element.style.height = `${this.#covered.offsetHeight}px`;
  }

  #hide(): void {
    this.#hiding.stop();
    this.#style('unseen');
  }
}
