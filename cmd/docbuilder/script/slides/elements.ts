import type {
  BulletsElement,
  Element,
  ImageElement,
  Slide,
  TextElement,
} from '../../../../src/common/generated/script.ts';
import { fitted, pictureFrame, pictureSize } from '../frame.ts';
import { properties } from '../styles.ts';
import { element, mm } from '../xml.ts';
import { boxLook, getLetters, sizeFor } from './box-look.ts';
import { type Deck, getBackground } from './deck.ts';
import { INVISIBLE } from './frames.ts';
import { boxAttributes } from './layouts.ts';
import { list, measuredItems } from './list.ts';
import { paragraph, runs } from './paragraph.ts';
import { shapeElement } from './shapes.ts';
import { tableElement } from './table.ts';
import { visible } from './theme.ts';

/** Writes everything that stands on a slide at a place of its own, from back to front. */
export function elements(slide: Slide, pointer: string, deck: Deck): string[] {
  const background = getBackground(slide, deck.theme);
  return (slide.elements ?? []).map((part, index) => build(part, `${pointer}/elements/${index}`, background, deck));
}

function build(part: Element, pointer: string, background: string, deck: Deck): string {
  switch (part.type) {
    case 'text':
      return textElement(part, background, deck);
    case 'bullets':
      return bulletsElement(part, background, deck);
    case 'table':
      return tableElement(part, background, deck);
    case 'image':
      return imageElement(part, pointer, deck);
    case 'shape':
      return shapeElement(part, background, deck);
  }
}

function textElement(part: TextElement, behind: string, deck: Deck): string {
  const { styles } = deck;
  const look = getLetters(part, part.background ?? behind, deck);
  const size = sizeFor(part.size, [{ text: part.text, bold: look.bold }], part, look.font);
  const text = paragraph(runs(part.text, styles, look), { ...look, size, align: part.align ?? 'left' }, styles);
  return textBox(part, text, deck);
}

function bulletsElement(part: BulletsElement, behind: string, deck: Deck): string {
  const background = part.background ?? behind;
  const look = getLetters(part, background, deck);
  const size = sizeFor(part.size, measuredItems(part.items, look.bold), part, look.font);
  const marks = {
    ordered: part.ordered ?? false,
    even: part.size !== undefined,
    color: visible(deck.theme.accent, background),
    size,
    font: look.font,
  };
  return textBox(part, list(part.items, marks, look, deck.styles), deck);
}

/** A picture that has no size of its own is reduced to the room between its place and the ends of the slide. */
function imageElement(part: ImageElement, pointer: string, { pictures, styles, theme }: Deck): string {
  const picture = pictures.get(pointer);
  if (!picture) return '';
  const style = styles.style('graphic', properties('graphic', INVISIBLE));
  const attributes = { 'draw:style-name': style, 'draw:layer': 'layout', 'svg:x': mm(part.x), 'svg:y': mm(part.y) };
  const size = pictureSize(picture, part);
  const room = { width: theme.width - part.x, height: theme.height - part.y };
  const reduced = part.width === undefined && part.height === undefined && room.width > 0 && room.height > 0;
  return pictureFrame(picture, reduced ? fitted(size, room) : size, attributes, part.alt);
}

function textBox(part: TextElement | BulletsElement, content: string, { styles, theme }: Deck): string {
  const style = styles.style('graphic', properties('graphic', boxLook(part, theme.accent, 'top')));
  const attributes = { 'draw:style-name': style, 'draw:layer': 'layout', ...boxAttributes(part) };
  return element('draw:frame', attributes, element('draw:text-box', {}, content));
}
