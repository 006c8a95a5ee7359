import { element, paragraphText } from '../xml.ts';
import type { Deck } from './deck.ts';
import { placeholder } from './frames.ts';
import { boxAttributes, pageProperties } from './layouts.ts';

/** A notes page is A4, upright, in millimetres. */
const NOTES_PAGE = { width: 210, height: 297 };
const TEXT = { x: 20, y: 140, width: 170, height: 135 };
const THUMBNAIL = { x: 25, y: 25, width: 160 };

/**
 * `presentation:notes`: a picture of the slide, and below it what the speaker sees, a paragraph for each line.
 * @param master name of the slide's master page
 * @param notes without them the page is a master's, and its text an empty placeholder
 */
export function notesPage(master: string, { theme, styles }: Deck, notes?: string): string {
  const height = (THUMBNAIL.width * theme.height) / theme.width;
  const picture = element('draw:page-thumbnail', {
    'draw:layer': notes === undefined ? 'backgroundobjects' : 'layout',
    ...boxAttributes({ ...THUMBNAIL, height: Math.min(height, 105) }),
    'presentation:class': 'page',
  });
  const lines = notes?.split(/\r\n?|\n/).map((line) => `<text:p>${paragraphText(line)}</text:p>`) ?? [];
  const style = styles.style('presentation', '', { 'style:parent-style-name': `${master}-notes` });
  const attributes =
    notes === undefined
      ? { 'style:page-layout-name': styles.other('PM', 'style:page-layout', pageProperties(NOTES_PAGE, 'portrait')) }
      : {};
  return element('presentation:notes', attributes, picture + placeholder('notes', style, TEXT, lines.join('')));
}
