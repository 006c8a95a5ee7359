import type { Meta, TextStyle } from '../../../../src/common/generated/script.ts';
import { configItem, languageAttributes } from '../document.ts';
import { type Look, linkStyle, lookProperties } from '../inline.ts';
import { namedStyle, properties, textAlign } from '../styles.ts';
import { type Attributes, element, mm } from '../xml.ts';

/** Space above and below a paragraph in millimetres. */
export interface Spaces {
  before: number;
  after: number;
}

/** The look of a document's text. Sizes in points, spacing in percent. */
export type DocumentStyle = ReturnType<typeof documentStyle>;

const FONT = 'Times New Roman';
const HEADING_FONT = 'Arial';
const HEADING_COLOR = '#1F3864';
const SPACE_AFTER = 2.5;

/** A script's `style` with defaults. Headings follow the text's font and colour if it has any. */
export function documentStyle(style: TextStyle = {}) {
  return {
    font: style.font ?? FONT,
    size: style.size ?? 12,
    color: style.color,
    align: style.align,
    lineSpacing: style.line_spacing ?? 115,
    headingFont: style.heading_font ?? style.font ?? HEADING_FONT,
    headingColor: style.heading_color ?? style.color ?? HEADING_COLOR,
    spaces: { ...SPACES, Text_20_body: { before: 0, after: style.space_after ?? SPACE_AFTER } },
  };
}

const ITEM = { before: 0, after: 1 };
/** Spacing of the paragraph styles of blocks. */
const SPACES = {
  Text_20_body: { before: 0, after: SPACE_AFTER },
  Heading_20_1: { before: 7, after: 3 },
  Heading_20_2: { before: 6, after: 2.5 },
  Heading_20_3: { before: 5, after: 2 },
  Heading_20_4: { before: 4, after: 1.5 },
  Heading_20_5: { before: 4, after: 1.5 },
  Heading_20_6: { before: 4, after: 1.5 },
  List_20_Bullet: ITEM,
  List_20_Bullet_20_2: ITEM,
  List_20_Bullet_20_3: ITEM,
  List_20_Number: ITEM,
  List_20_Number_20_2: ITEM,
  List_20_Number_20_3: ITEM,
  Figure: { before: 2, after: 2.5 },
  Caption: { before: 0, after: 4 },
  Horizontal_20_Line: { before: 0, after: 3 },
};
export type StyleName = keyof typeof SPACES;

export function headingName(level: number): StyleName {
  return `Heading_20_${level as 1 | 2 | 3 | 4 | 5 | 6}`;
}

/** Font sizes of headings, and of captions, headers and footers, as multiples of the text's. */
const HEADING_SCALES = [5 / 3, 4 / 3, 7 / 6, 1, 1, 11 / 12];
export const SMALL = 5 / 6;
const FIRST_ITALIC_HEADING = 5;
const GREY = '#595959';
const LINK_COLOR = '#0563C1';
const START = { 'fo:text-align': 'start' };
const LISTS = ['List Bullet', 'List Bullet 2', 'List Bullet 3', 'List Number', 'List Number 2', 'List Number 3'];

/** `office:styles`. */
export function namedStyles(style: DocumentStyle, meta: Meta | undefined, textWidth: number): string {
  const { font, size, color, align, spaces, lineSpacing } = style;
  const defaults =
    properties('paragraph', { 'style:tab-stop-distance': '12.5mm' }) +
    properties('text', { 'fo:hyphenate': 'false', ...languageAttributes(meta) });
  const body = { 'fo:line-height': `${lineSpacing}%`, 'fo:orphans': 2, 'fo:widows': 2 };
  const collapsing = properties('table', { 'table:border-model': 'collapsing' });
  const letters = { font, size, ...(color && { color }) };
  const tight = margins({ before: 0, after: 0 });
  const small = { size: halfPoints(size * SMALL), color: GREY };
  const rule = { ...margins(spaces.Horizontal_20_Line), 'style:join-border': 'false' };
  const marginal = properties('paragraph', START, tabStops(textWidth)) + lookProperties(small);
  return [
    element('style:default-style', { 'style:family': 'paragraph' }, defaults),
    element('style:default-style', { 'style:family': 'table' }, collapsing),
    paragraphStyle('Standard', undefined, { 'fo:text-align': textAlign(align) }, letters),
    paragraphStyle('Text body', 'Standard', { ...margins(spaces.Text_20_body), ...body }),
    ...headingStyles(style),
    ...LISTS.map((name) => paragraphStyle(name, 'Text_20_body', margins(ITEM))),
    paragraphStyle('Table Contents', 'Standard', { ...tight, ...START }),
    paragraphStyle('Table Heading', 'Table_20_Contents', { 'fo:keep-with-next': 'always' }, { bold: true }),
    paragraphStyle('Table Separator', 'Standard', tight, { size: 2 }),
    paragraphStyle('Table Gap', 'Standard', tight, { size: 9 }),
    paragraphStyle('Figure', 'Standard', { ...margins(spaces.Figure), ...START }),
    paragraphStyle('Caption', 'Standard', { ...margins(spaces.Caption), ...START }, { ...small, italic: true }),
    paragraphStyle('Horizontal Line', 'Standard', rule, { size: 6 }),
    ...['Header', 'Footer'].map((name) =>
      namedStyle('paragraph', name, marginal, { 'style:parent-style-name': 'Standard' }),
    ),
    namedStyle('graphic', 'Graphics'),
    linkStyle({ color: LINK_COLOR, underline: true }),
  ].join('');
}

function headingStyles({ headingFont, headingColor, size, align, spaces }: DocumentStyle): string[] {
  const look = { font: headingFont, color: headingColor, bold: true };
  const paragraph = {
    'fo:keep-with-next': 'always',
    'fo:line-height': '110%',
    // A justified heading of two lines looks torn.
    'fo:text-align': align === 'justify' ? 'start' : undefined,
  };
  const levels = HEADING_SCALES.map((scale, index) => {
    const level = index + 1;
    return paragraphStyle(
      `Heading ${level}`,
      'Heading',
      margins(spaces[headingName(level)]),
      { size: halfPoints(size * scale), ...(level >= FIRST_ITALIC_HEADING && { italic: true }) },
      { 'style:next-style-name': 'Text_20_body', 'style:default-outline-level': level },
    );
  });
  return [paragraphStyle('Heading', 'Standard', paragraph, look), ...levels];
}

/** For headers and footers: in the middle and at the right end of the text. */
function tabStops(textWidth: number): string {
  const stops = [
    { 'style:position': mm(textWidth / 2), 'style:type': 'center' },
    { 'style:position': mm(textWidth), 'style:type': 'right' },
  ];
  return element('style:tab-stops', {}, stops.map((stop) => element('style:tab-stop', stop)).join(''));
}

/** @returns attributes of `style:paragraph-properties` */
export function margins({ before, after }: Spaces): Attributes {
  return { 'fo:margin-top': mm(before), 'fo:margin-bottom': mm(after) };
}

function paragraphStyle(
  name: string,
  parent: string | undefined,
  paragraph: Attributes,
  look: Look = {},
  attributes: Attributes = {},
): string {
  const content = properties('paragraph', paragraph) + lookProperties(look);
  return namedStyle('paragraph', name, content, { 'style:parent-style-name': parent, ...attributes });
}

/** Font sizes of Word are multiples of half a point. */
function halfPoints(size: number): number {
  return Math.max(1, Math.round(size * 2) / 2);
}

/** Layout rules of Word: the PDF gets the lines and pages of the docx. By default LibreOffice takes those of old documents. */
const ON = `AddExternalLeading AddParaLineSpacingToTableCells AddParaSpacingToTableCells AddParaTableSpacingAtStart
  AddVerticalFrameOffsets AlignTabStopPosition ApplyParagraphMarkFormatToNumbering BackgroundParaOverDrawings
  ClippedPictures CollapseEmptyCellPara ConsiderTextWrapOnObjPos DoNotJustifyLinesWithManualBreak
  HeaderSpacingBelowLastPara IgnoreTabsAndBlanksForLineCalculation InvertBorderSpacing MsWordCompTrailingBlanks
  PropLineSpacingShrinksFirstLine TabAtLeftIndentForParagraphsInList TabOverSpacing TabOverflow TableRowKeep
  UnbreakableNumberings WordLikeWrapForAsCharFlys`.split(/\s+/);
const OFF = `AddFrameOffsets AddParaTableSpacing DoNotResetParaAttrsForNumFont IgnoreFirstLineIndentInNumbering
  TabsRelativeToIndent UnxForceZeroExtLeading UseFormerLineSpacing UseFormerObjectPositioning
  UseFormerTextWrapping UseOldNumbering`.split(/\s+/);

/** The content of `office:settings`. */
export function textSettings(): string {
  const item = (value: boolean) => (name: string) => configItem(name, 'boolean', value);
  const items = [...ON.map(item(true)), ...OFF.map(item(false))];
  return element('config:config-item-set', { 'config:name': 'ooo:configuration-settings' }, items.join(''));
}
