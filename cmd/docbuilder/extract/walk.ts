import type { Attributes } from './namespaces.ts';
import type { XmlHandler } from './xml.ts';

/** Returned for an element that is passed over with all that is in it. */
export const SKIP = Symbol('skip');

/** What is done at the end of an element, at its start; `SKIP` passes over it, undefined looks into it. */
export type Open = (attributes: Attributes) => (() => void) | typeof SKIP | undefined;
export type Elements = Record<string, Open>;

/**
 * Turns a table of element names into a handler. Elements that the table does not know are looked into. The stack is
 * an array: no depth of nesting can exhaust the call stack.
 * @param text gets the characters of all elements that are not passed over
 */
export function walk(
  elements: Elements,
  text: (text: string) => void,
  enough: () => boolean = () => false,
): XmlHandler {
  const known = new Map(Object.entries(elements));
  const open: ((() => void) | undefined)[] = [];
  let skipped = 0;
  return {
    open(name, attributes) {
      if (skipped > 0) {
        skipped += 1;
        return;
      }
      const close = known.get(name)?.(attributes);
      if (close === SKIP) skipped = 1;
      else open.push(close);
    },
    close() {
      if (skipped > 0) skipped -= 1;
      else open.pop()?.();
    },
    text(content) {
      if (skipped === 0) text(content);
    },
    enough,
  };
}
