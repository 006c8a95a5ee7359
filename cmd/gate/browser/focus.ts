/**
 * Leaves the focus where it is in the page around the editor's (25.04.9), which takes it when it opens its document: what
 * somebody types elsewhere would go into the document. Whoever clicks into the frame, or goes there by Tab, gets there.
 * @param container of the editor's frame
 * @param mayTakeFocus returns whether the editor's page may take the focus by itself, from this element or from none
 */
export function guardFocus(
  container: HTMLElement,
  mayTakeFocus: (from: Element | undefined) => boolean,
  signal: AbortSignal,
): void {
  let left: HTMLElement | undefined;
  let key = '';
  const onKey = (event: KeyboardEvent): void => {
    key = event.key;
  };
  // On a touch screen, the editor takes no focus by itself.
  const isAsked = (frame: Element): boolean =>
    frame.matches(':hover') || key === 'Tab' || matchMedia('(pointer: coarse)').matches;
  const onLeave = ({ target }: FocusEvent): void => {
    left = target instanceof HTMLElement ? target : undefined;
    setTimeout(() => {
      left = undefined;
    });
  };
  const giveBack = (from: HTMLElement | undefined): void => {
    const { activeElement: frame } = document;
    if (!(frame instanceof HTMLIFrameElement && container.contains(frame))) return;
    if (isAsked(frame) || mayTakeFocus(from)) return;
    if (from) from.focus();
    else frame.blur();
  };
  const options = { signal, capture: true };
  window.addEventListener('keydown', onKey, options);
  window.addEventListener('focusout', onLeave, options);
  const onBlur = (): void => {
    const from = left;
    setTimeout(() => giveBack(from));
  };
  window.addEventListener('blur', onBlur, { signal });
}
