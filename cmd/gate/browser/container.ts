import { invalidConfig } from './config.ts';

const occupied = new WeakSet<HTMLElement>();

/**
 * Finds the element that is to hold the editor.
 * @throws {SVC.EditorError} `invalid_config`
 */
export function findContainer(target: string | HTMLElement): HTMLElement {
  if (target instanceof HTMLElement) return target;
  const found = typeof target === 'string' ? document.getElementById(target) : null;
  if (found) return found;
  throw invalidConfig(
    typeof target === 'string'
      ? `there is no element with the id "${target}" yet: call SVC.Editor after it has been made`
      : 'the first argument must be an element or its id',
  );
}

/** An element has one editor at a time. @throws {SVC.EditorError} `invalid_config` */
export function occupyContainer(container: HTMLElement): void {
  if (occupied.has(container)) throw invalidConfig('this element has an editor already: destroy() it first');
  occupied.add(container);
}

export function freeContainer(container: HTMLElement): void {
  occupied.delete(container);
}
