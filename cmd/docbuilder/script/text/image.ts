import type { Image } from '../../../../src/common/generated/script.ts';
import { pictureFrame, pictureSize, type Size } from '../frame.ts';
import type { Sheet } from '../paper.ts';
import { properties } from '../styles.ts';
import type { BlockBuilder } from './context.ts';
import { blockStyle, textAlign } from './paragraph.ts';
import { runs } from './runs.ts';

/** What the line of a picture, and a caption below it, need of a page besides the picture; millimetres. */
const LINE_HEIGHT = 3;
const CAPTION_HEIGHT = 12;
const SPACE_ABOVE_CAPTION = 1;

/** A picture in a paragraph of its own, as a character of it, and its caption on the same page. */
export const image: BlockBuilder<Image> = function* (block, place, context) {
  const { styles, pictures, sheet } = context;
  const picture = pictures.get(place.pointer);
  if (!picture) throw new TypeError(`no picture for ${place.pointer}`);
  const captioned = block.caption !== undefined;
  const given = block.width !== undefined || block.height !== undefined;
  const size = given ? pictureSize(picture, block) : fitted(picture, sheet, captioned);
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

/** The natural size, or what of it fits on a page. */
function fitted(picture: Size, { textWidth, textHeight }: Sheet, captioned: boolean): Size {
  const height = Math.max(textHeight - LINE_HEIGHT - (captioned ? CAPTION_HEIGHT : 0), textHeight / 2);
  const scale = Math.min(1, textWidth / picture.width, height / picture.height);
  return { width: picture.width * scale, height: picture.height * scale };
}
