/**
 * How a sentence is shown: to screen readers only; to everybody; to everybody for a while, or until it is clicked; over
 * the frame, which then takes no input.
 */
export type Shown = 'unseen' | 'seen' | 'note' | 'over';

/** The element beside the frame that tells people what is going on. */
export interface Cover {
  element: HTMLElement;
  /** @param frame what it lies over */
  say(text: string, shown: Shown, frame: HTMLElement): void;
  remove(): void;
}

const NOTE_MS = 20_000;

const STYLES: Record<Exclude<Shown, 'note'>, Partial<CSSStyleDeclaration>> = {
  unseen: {
    position: 'absolute',
    display: 'block',
    width: '1px',
    height: '1px',
    overflow: 'hidden',
    clipPath: 'inset(50%)',
    whiteSpace: 'nowrap',
    padding: '0',
    zIndex: 'auto',
  },
  /** Without a change of what is around it. */
  seen: {
    position: 'absolute',
    display: 'block',
    width: 'auto',
    height: 'auto',
    overflow: 'visible',
    clipPath: 'none',
    whiteSpace: 'normal',
    padding: '12px 16px',
    font: '16px/1.5 system-ui, sans-serif',
    color: '#8c1d18',
    background: '#fff',
    zIndex: 'auto',
  },
  over: {
    position: 'absolute',
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'center',
    textAlign: 'center',
    boxSizing: 'border-box',
    overflow: 'hidden',
    clipPath: 'none',
    whiteSpace: 'normal',
    padding: '16px',
    font: '18px/1.5 system-ui, sans-serif',
    color: '#1f2328',
    background: 'rgba(255, 255, 255, 0.9)',
    outline: 'none',
    cursor: 'wait',
    zIndex: '2',
  },
};

export function createCover(page: Document): Cover {
  const element = page.createElement('div');
  element.setAttribute('role', 'status');
  // So that it can take the keyboard away from the frame.
  element.tabIndex = -1;
  Object.assign(element.style, STYLES.unseen);
  let covered: HTMLElement | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const onSize = new ResizeObserver(spread);

  function spread(): void {
    if (!covered) return;
    element.style.width = `${covered.offsetWidth}px`;
    element.style.height = `${covered.offsetHeight}px`;
  }

  function hide(): void {
    clearTimeout(hiding);
    element.removeEventListener('click', hide);
    Object.assign(element.style, STYLES.unseen);
  }

  return {
    element,
    say(text, shown, frame) {
      hide();
      onSize.disconnect();
      element.textContent = text;
      Object.assign(element.style, STYLES[shown === 'note' ? 'seen' : shown]);
      if (shown === 'note') {
        element.addEventListener('click', hide);
        hiding = setTimeout(hide, NOTE_MS);
      }
      covered = shown === 'over' ? frame : undefined;
      if (!covered) return;
      spread();
      onSize.observe(covered);
    },
    remove() {
      hide();
      onSize.disconnect();
      element.remove();
    },
  };
}
