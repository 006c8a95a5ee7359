import type { Image } from '../../../../src/common/generated/script.ts';
import { fitted, pictureFrame, pictureSize } from '../frame.ts';
import { properties } from '../styles.ts';
import type { BlockBuilder } from './context.ts';
import { blockStyle, textAlign } from './paragraph.ts';
import { runs } from './runs.ts';

/** Millimetres of a page that the line of a picture, a caption below it and a heading above it need besides the picture. */
const LINE_HEIGHT = 3;
const CAPTION_HEIGHT = 12;
const HEADING_HEIGHT = 20;
const SPACE_ABOVE_CAPTION = 1;

/** A picture in a paragraph of its own, as a character of it, and its caption on the same page. */
export const image: BlockBuilder<Image> = function* (block, place, context) {
  const { styles, pictures, sheet } = context;
  const picture = pictures.get(place.pointer);
  if (!picture) throw new TypeError(`no picture for ${place.pointer}`);
  const captioned = block.caption !== undefined;
  const others = LINE_HEIGHT + (captioned ? CAPTION_HEIGHT : 0) + place.headings * HEADING_HEIGHT;
  const height = Math.max(sheet.textHeight - others, sheet.textHeight / 2);
  const size = fitted(pictureSize(picture, block), { width: sheet.textWidth, height });
  const frame = pictureFrame(
    picture,
    size,
    {
      'draw:style-name': styles.style('graphic', properties('graphic', AS_CHARACTER), PARENT),
      'draw:name': `Image${place.pointer.replaceAll('/', '_')}`,
      'text:anchor-type': 'as-char',
    },
    block.alt,
  );
  const align = { 'fo:text-align': textAlign(block.align) };
  const keep = { 'fo:keep-with-next': captioned ? 'always' : undefined };
  const spaces = { after: captioned ? SPACE_ABOVE_CAPTION : undefined };
  const figure = blockStyle('Figure', { place, spaces, attributes: { ...align, ...keep } }, context);
  yield `<text:p text:style-name="${figure}">${frame}</text:p>`;
  if (block.caption === undefined) return;
  yield `<text:p text:style-name="${blockStyle('Caption', { attributes: align }, context)}">`;
  yield* runs(block.caption, styles);
  yield '</text:p>';
};

/** Without this parent docx has the picture only as an alternative to a shape. */
const PARENT = { 'style:parent-style-name': 'Graphics' };
const AS_CHARACTER = {
  'style:vertical-pos': 'top',
  'style:vertical-rel': 'baseline',
  'fo:border': 'none',
  'fo:padding': '0mm',
};
