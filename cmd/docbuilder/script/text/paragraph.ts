import type { Heading, HorizontalRule, Paragraph } from '../../../../src/common/generated/script.ts';
import { lookProperties } from '../inline.ts';
import { properties, type Styles } from '../styles.ts';
import { lineValue } from '../table.ts';
import { type Attributes, mm } from '../xml.ts';
import type { BlockBuilder, BlockPlace, TextContext } from './context.ts';
import { runs } from './runs.ts';
import type { Spaces, StyleName } from './style.ts';

/** Space between a table and what follows it, in millimetres. */
const SPACE_BELOW_TABLE = 4;
const ALIGN = { left: 'start', center: 'center', right: 'end', justify: 'justify' } as const;

/** An alignment as the value of `fo:text-align`. */
export function textAlign(align: keyof typeof ALIGN | undefined): string | undefined {
  return align && ALIGN[align];
}

/** The attributes of a paragraph that begins a block, besides its look. */
export interface Differences {
  place?: BlockPlace | undefined;
  spaces?: { before?: number | undefined; after?: number | undefined };
  attributes?: Attributes;
  /** `style:text-properties`, or nothing. */
  text?: string;
}

/** The automatic style of a paragraph, or its named style where that says it all. */
export function blockStyle(name: StyleName, differences: Differences, { styles, style }: TextContext): string {
  const { place, spaces = {}, attributes, text } = differences;
  const breakBefore = place?.breakBefore === true;
  const before = spaces.before ?? (place?.afterTable && !breakBefore ? SPACE_BELOW_TABLE : undefined);
  const all = {
    'fo:break-before': breakBefore ? 'page' : undefined,
    ...margins(before, spaces.after, style.spaces[name]),
    ...attributes,
  };
  return paragraphStyle(styles, name, all, text);
}

/** Does the same as `blockStyle` for named styles outside the text. */
export function paragraphStyle(styles: Styles, parent: string, attributes: Attributes, text = ''): string {
  const content = properties('paragraph', attributes) + text;
  return content === '' ? parent : styles.style('paragraph', content, { 'style:parent-style-name': parent });
}

/** The style of a heading or paragraph that may differ from its named style. */
function ownStyle(block: Heading | Paragraph, name: StyleName, place: BlockPlace, context: TextContext): string {
  const { keep_with_next: keep, line_spacing: lineSpacing } = block;
  const attributes = {
    'fo:text-align': textAlign(block.align),
    'fo:line-height': lineSpacing === undefined ? undefined : `${lineSpacing}%`,
    'fo:margin-left': length(block.indent_left),
    'fo:margin-right': length(block.indent_right),
    'fo:text-indent': length(block.first_line_indent),
    'fo:keep-with-next': keep === undefined ? undefined : keep ? 'always' : 'auto',
  };
  const spaces = { before: block.space_before, after: block.space_after };
  return blockStyle(name, { place, spaces, attributes, text: lookProperties(block) }, context);
}

/** A paragraph. */
export const paragraph: BlockBuilder<Paragraph> = function* (block, place, context) {
  yield `<text:p text:style-name="${ownStyle(block, 'Text_20_body', place, context)}">`;
  yield* runs(block.text, context.styles);
  yield '</text:p>';
};

/** The text engine holds both spaces in one: who says one takes the other away. */
function margins(before: number | undefined, after: number | undefined, named: Spaces): Attributes {
  if (before === undefined && after === undefined) return {};
  return { 'fo:margin-top': mm(before ?? named.before), 'fo:margin-bottom': mm(after ?? named.after) };
}

function length(value: number | undefined): string | undefined {
  return value === undefined ? undefined : mm(value);
}

/** A heading: its level is that of its named style, and of the outline. */
export const heading: BlockBuilder<Heading> = function* (block, place, context) {
  const breakBefore = place.breakBefore || block.page_break_before === true;
  // A heading's own space is wider than what a table asks for.
  const style = ownStyle(block, styleName(block.level), { ...place, breakBefore, afterTable: false }, context);
  yield `<text:h text:style-name="${style}" text:outline-level="${block.level}">`;
  yield* runs(block.text, context.styles);
  yield '</text:h>';
};

function styleName(level: number): StyleName {
  return `Heading_20_${level as 1 | 2 | 3 | 4 | 5 | 6}`;
}

const RULE = { width: 0.75, color: '#7F7F7F' };

/** A line across the page: the lower border of an empty paragraph. */
export const horizontalRule: BlockBuilder<HorizontalRule> = ({ width, color }, place, context) => {
  const line = lineValue({ width: width ?? RULE.width, color: color ?? RULE.color });
  const style = blockStyle('Horizontal_20_Line', { place, attributes: { 'fo:border-bottom': line } }, context);
  return [`<text:p text:style-name="${style}"/>`];
};
