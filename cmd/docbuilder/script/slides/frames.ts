import { type Look, lookAttributes } from '../inline.ts';
import { properties } from '../styles.ts';
import { type Attributes, element } from '../xml.ts';
import { type Box, boxAttributes } from './layouts.ts';

/** The `presentation:class` of a `draw:frame` of a slide. */
export type FrameClass = 'title' | 'subtitle' | 'outline' | 'notes' | 'footer' | 'page-number';

/** Neither fill nor line: without this LibreOffice draws blue boxes. */
export const INVISIBLE = { 'draw:fill': 'none', 'draw:stroke': 'none' };
/** The box keeps the size it was given. */
export const FIXED_SIZE = {
  'draw:auto-grow-height': 'false',
  'draw:auto-grow-width': 'false',
  'draw:fit-to-size': 'false',
};
/** A title stands exactly above its text. */
const NO_PADDING = {
  'fo:padding-top': '0mm',
  'fo:padding-right': '0mm',
  'fo:padding-bottom': '0mm',
  'fo:padding-left': '0mm',
};

export function solid(color: string): Attributes {
  return { 'draw:fill': 'solid', 'draw:fill-color': color };
}

/** Content of the style of a placeholder. */
export function placeholderLook(valign: 'top' | 'middle' | 'bottom', align: string, look: Look, levels = ''): string {
  const box = { ...INVISIBLE, ...FIXED_SIZE, ...NO_PADDING, 'draw:textarea-vertical-align': valign };
  return (
    properties('graphic', box, levels) +
    properties('paragraph', { 'fo:text-align': align }) +
    properties('text', lookAttributes(look))
  );
}

/** A placeholder: a frame that knows what it is for (ODF 1.3 part 3, 19.389). Without content it is an empty one. */
export function placeholder(kind: FrameClass, style: string, box: Box, content = '', layer = 'layout'): string {
  const attributes = {
    'presentation:style-name': style,
    'draw:layer': layer,
    ...boxAttributes(box),
    'presentation:class': kind,
    'presentation:placeholder': content === '' ? 'true' : undefined,
  };
  return element('draw:frame', attributes, element('draw:text-box', {}, content));
}
