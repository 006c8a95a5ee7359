import type {
  Heading,
  HorizontalRule,
  Image,
  Inline,
  Paragraph,
  Run,
} from '../../../../src/common/generated/script.ts';
import type { Picture } from '../check/pictures.ts';
import { description, fitted, pictureFrame, pictureSize, placedPicture } from '../frame.ts';
import { inline, lookProperties } from '../inline.ts';
import type { PageGeometry } from '../page.ts';
import { scriptGroups } from '../script-groups.ts';
import { properties, type Styles, textAlign } from '../styles.ts';
import { lineValue } from '../table.ts';
import { type Attributes, element, mm } from '../xml.ts';
import { type DocumentStyle, headingName, margins, type StyleName } from './styles.ts';

export interface TextContext {
  styles: Styles;
  style: DocumentStyle;
  page: PageGeometry;
  pictures: ReadonlyMap<string, Picture>;
}

export interface BlockPlace {
  /** JSON Pointer of the block. */
  pointer: string;
  /** It begins a page. */
  breakBefore: boolean;
  /** It follows a table. Tables have no space below them: the formats do not agree on one. */
  afterTable: boolean;
  /** Headings directly above it, on the same page if there is room. */
  headings: number;
}

/** The XML of one block, in pieces. */
export type BlockBuilder<Block> = (block: Block, place: BlockPlace, context: TextContext) => Iterable<string>;

/** Space between a table and what follows it, in millimetres. */
const SPACE_BELOW_TABLE = 4;

/** How a paragraph differs from its named style. */
interface Differences {
  place?: BlockPlace | undefined;
  spaces?: { before?: number | undefined; after?: number | undefined };
  attributes?: Attributes;
  /** `style:text-properties`, or nothing. */
  text?: string;
}

/** Name of a paragraph's automatic style, or of its named style if it differs in nothing. */
export function blockStyle(name: StyleName, differences: Differences, { styles, style }: TextContext): string {
  const { place, spaces: { before: ownBefore, after } = {}, attributes, text } = differences;
  const breakBefore = place?.breakBefore === true;
  const before = ownBefore ?? (place?.afterTable && !breakBefore ? SPACE_BELOW_TABLE : undefined);
  const named = style.spaces[name];
  const isSet = before !== undefined || after !== undefined;
  const all = {
    'fo:break-before': breakBefore ? 'page' : undefined,
    // LibreOffice has both spaces in one property: setting one would reset the other.
    ...(isSet && margins({ before: before ?? named.before, after: after ?? named.after })),
    ...attributes,
  };
  return paragraphStyle(styles, name, all, text);
}

/** As `blockStyle`, for named styles outside the text. */
export function paragraphStyle(styles: Styles, parent: string, attributes: Attributes, text = ''): string {
  const content = properties('paragraph', attributes) + text;
  return content === '' ? parent : styles.style('paragraph', content, { 'style:parent-style-name': parent });
}

function ownStyle(block: Heading | Paragraph, name: StyleName, place: BlockPlace, context: TextContext): string {
  const { keep_with_next: keep, line_spacing: lineSpacing } = block;
  const length = (value: number | undefined) => (value === undefined ? undefined : mm(value));
  const attributes = {
    'fo:text-align': textAlign(block.align),
    'fo:line-height': lineSpacing && `${lineSpacing}%`,
    'fo:margin-left': length(block.indent_left),
    'fo:margin-right': length(block.indent_right),
    'fo:text-indent': length(block.first_line_indent),
    'fo:keep-with-next': keep === undefined ? undefined : keep ? 'always' : 'auto',
  };
  const spaces = { before: block.space_before, after: block.space_after };
  return blockStyle(name, { place, spaces, attributes, text: lookProperties(block) }, context);
}

export const paragraph: BlockBuilder<Paragraph> = function* (block, place, context) {
  yield `<text:p text:style-name="${ownStyle(block, 'Text_20_body', place, context)}">`;
  yield* runs(block.text, context.styles);
  yield '</text:p>';
};

export const heading: BlockBuilder<Heading> = function* (block, place, context) {
  const breakBefore = place.breakBefore || block.page_break_before === true;
  // A heading's own space is wider than that below a table.
  const style = ownStyle(block, headingName(block.level), { ...place, breakBefore, afterTable: false }, context);
  yield `<text:h text:style-name="${style}" text:outline-level="${block.level}">`;
  yield* runs(block.text, context.styles);
  yield '</text:h>';
};

/** A line across the page: the lower border of an empty paragraph. */
export const horizontalRule: BlockBuilder<HorizontalRule> = ({ width = 0.75, color = '#7F7F7F' }, place, context) => {
  const attributes = { 'fo:border-bottom': lineValue({ width, color }) };
  return [`<text:p text:style-name="${blockStyle('Horizontal_20_Line', { place, attributes }, context)}"/>`];
};

/** Millimetres that a picture's line, its caption and a heading above it need besides the picture. */
const LINE_HEIGHT = 3;
const CAPTION_HEIGHT = 12;
const HEADING_HEIGHT = 20;
const SPACE_ABOVE_CAPTION = 1;
const BASELINE = { 'style:vertical-pos': 'top', 'style:vertical-rel': 'baseline' };
const AS_CHARACTER = { ...BASELINE, 'fo:border': 'none', 'fo:padding': '0mm' };

/** A picture as the only character of a paragraph, with its caption on the same page. */
export const image: BlockBuilder<Image> = function* (block, place, context) {
  const { styles, pictures, page } = context;
  const picture = pictures.get(place.pointer);
  if (!picture) throw new TypeError(`no picture for ${place.pointer}`);
  const captioned = block.caption !== undefined;
  const others = LINE_HEIGHT + (captioned ? CAPTION_HEIGHT : 0) + place.headings * HEADING_HEIGHT;
  const height = Math.max(page.textHeight - others, page.textHeight / 2);
  const size = fitted(pictureSize(picture, block), { width: page.textWidth, height });
  const attributes = {
    // Without this parent docx has the picture only as the fallback of a shape.
    'draw:style-name': styles.of('graphic', AS_CHARACTER, { 'style:parent-style-name': 'Graphics' }),
    'draw:name': `Image${place.pointer.replaceAll('/', '_')}`,
    'text:anchor-type': 'as-char',
  };
  const align = { 'fo:text-align': textAlign(block.align) };
  const keep = { 'fo:keep-with-next': captioned ? 'always' : undefined };
  const spaces = { after: captioned ? SPACE_ABOVE_CAPTION : undefined };
  const figure = blockStyle('Figure', { place, spaces, attributes: { ...align, ...keep } }, context);
  // As a character a turned picture has the room of the picture before it was turned; a group has that of its content.
  const frame = picture.turn
    ? element('draw:g', attributes, description(block.alt) + placedPicture(picture, size, { x: 0, y: 0 }, styles))
    : pictureFrame(picture, size, attributes, block.alt);
  yield `<text:p text:style-name="${figure}">${frame}</text:p>`;
  if (block.caption === undefined) return;
  yield `<text:p text:style-name="${blockStyle('Caption', { attributes: align }, context)}">`;
  yield* runs(block.caption, styles);
  yield '</text:p>';
};

/** Text as the content of a paragraph, in pieces: a paragraph may have more text than a string can. */
export function* runs(text: Inline, styles: Styles): Generator<string> {
  let before: string | Run = '';
  for (const part of Array.isArray(text) ? text : [text]) {
    yield inline(typeof part === 'string' ? part : cutLink(part, before), styles);
    before = part;
  }
}

/** A link is cut where groups of scripts change: in docx LibreOffice may end it there. */
function cutLink(run: Run, before: string | Run): Run[] {
  if (run.link === undefined) return [run];
  return scriptGroups(run.text, typeof before === 'string' ? before : before.text).map((text) => ({ ...run, text }));
}
