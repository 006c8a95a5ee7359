import { MARKER } from '../arbitraries/words.ts';

/** Keys whose strings are no text that is shown. */
const UNSEEN = ['save', 'meta', 'alt', 'link', 'base64', 'url', '$schema', 'notes', 'name', 'font', 'formula'];

/** Every text of a script that its pages show, with its JSON Pointer. */
export function* shownTexts(value: unknown, pointer = ''): Generator<{ pointer: string; text: string }> {
  if (typeof value === 'string') {
    if (MARKER.test(value)) yield { pointer, text: value };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* shownTexts(item, `${pointer}/${index}`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      // Title slides have no footer.
      if (key === 'slide_style' && isOpening(value)) continue;
      if (!UNSEEN.includes(key)) yield* shownTexts(member, `${pointer}/${key}`);
    }
  }
}

/** Whether a deck has title slides only. */
function isOpening(script: object): boolean {
  const { slides = [] } = script as { slides?: { layout: string }[] };
  return slides.every(({ layout }) => layout === 'title');
}
