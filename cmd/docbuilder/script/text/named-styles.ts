import type { Meta } from '../../../../src/common/generated/script.ts';
import { LINK_STYLE, type Look, lookProperties } from '../inline.ts';
import { languageAttributes } from '../metadata.ts';
import { namedStyle, properties } from '../styles.ts';
import { type Attributes, element, mm } from '../xml.ts';
import { marginalTabStops, SMALL } from './marginal.ts';
import { textAlign } from './paragraph.ts';
import type { DocumentStyle, Spaces } from './style.ts';

/** Sizes of the headings in relation to the text's. */
const HEADING_SCALES = [5 / 3, 4 / 3, 7 / 6, 1, 1, 11 / 12];
const FIRST_ITALIC_HEADING = 5;
const GREY = '#595959';
const LINK_COLOR = '#0563C1';

/** Styles by their names (`office:styles`); automatic ones only say what differs from them. */
export function namedStyles(style: DocumentStyle, meta: Meta | undefined, textWidth: number): string {
  return [
    element('style:default-style', { 'style:family': 'paragraph' }, defaults(meta)),
    element('style:default-style', { 'style:family': 'table' }, TABLE_DEFAULTS),
    paragraphStyle('Standard', undefined, { 'fo:text-align': textAlign(style.align) }, base(style)),
    paragraphStyle('Text body', 'Standard', {
      ...margins(style.spaces.Text_20_body),
      'fo:line-height': `${style.lineSpacing}%`,
      'fo:orphans': 2,
      'fo:widows': 2,
    }),
    ...headingStyles(style),
    ...listStyles(style),
    ...tableStyles(),
    ...otherStyles(style),
    ...marginalStyles(style, textWidth),
    namedStyle('graphic', 'Graphics', 'Graphics', ''),
    namedStyle('text', LINK_STYLE, 'Internet link', lookProperties({ color: LINK_COLOR, underline: true })),
  ].join('');
}

const TABLE_DEFAULTS = properties('table', { 'table:border-model': 'collapsing' });

function defaults(meta: Meta | undefined): string {
  return (
    properties('paragraph', { 'style:tab-stop-distance': '12.5mm' }) +
    properties('text', { 'fo:hyphenate': 'false', ...languageAttributes(meta) })
  );
}

function base({ font, size, color }: DocumentStyle): Look {
  return { font, size, ...(color !== undefined && { color }) };
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
      margins(spaces[`Heading_20_${level as 1 | 2 | 3 | 4 | 5 | 6}`]),
      { size: halfPoints(size * scale), ...(level >= FIRST_ITALIC_HEADING && { italic: true }) },
      { 'style:next-style-name': 'Text_20_body', 'style:default-outline-level': level },
    );
  });
  return [paragraphStyle('Heading', 'Standard', paragraph, look), ...levels];
}

function listStyles({ spaces }: DocumentStyle): string[] {
  const names = ['Bullet', 'Number'].flatMap((kind) => ['', ' 2', ' 3'].map((level) => `List ${kind}${level}`));
  return names.map((name) => paragraphStyle(name, 'Text_20_body', margins(spaces.List_20_Bullet)));
}

function tableStyles(): string[] {
  const tight = margins({ before: 0, after: 0 });
  return [
    paragraphStyle('Table Contents', 'Standard', { ...tight, 'fo:text-align': 'start' }),
    paragraphStyle('Table Heading', 'Table_20_Contents', { 'fo:keep-with-next': 'always' }, { bold: true }),
    paragraphStyle('Table Separator', 'Standard', tight, { size: 2 }),
    paragraphStyle('Table Gap', 'Standard', tight, { size: 9 }),
  ];
}

function otherStyles({ size, spaces }: DocumentStyle): string[] {
  const left = { 'fo:text-align': 'start' };
  const caption = { size: halfPoints(size * SMALL), italic: true, color: GREY };
  const rule = { ...margins(spaces.Horizontal_20_Line), 'style:join-border': 'false' };
  return [
    paragraphStyle('Figure', 'Standard', { ...margins(spaces.Figure), ...left }),
    paragraphStyle('Caption', 'Standard', { ...margins(spaces.Caption), ...left }, caption),
    paragraphStyle('Horizontal Line', 'Standard', rule, { size: 6 }),
  ];
}

function margins({ before, after }: Spaces): Attributes {
  return { 'fo:margin-top': mm(before), 'fo:margin-bottom': mm(after) };
}

function marginalStyles({ size }: DocumentStyle, textWidth: number): string[] {
  const look = lookProperties({ size: halfPoints(size * SMALL), color: GREY });
  const content = properties('paragraph', { 'fo:text-align': 'start' }, marginalTabStops(textWidth)) + look;
  return ['Header', 'Footer'].map((name) =>
    namedStyle('paragraph', name, name, content, { 'style:parent-style-name': 'Standard' }),
  );
}

function paragraphStyle(
  displayName: string,
  parent: string | undefined,
  paragraph: Attributes,
  look: Look = {},
  attributes: Attributes = {},
): string {
  const name = displayName.replaceAll(' ', '_20_');
  const content = properties('paragraph', paragraph) + lookProperties(look);
  return namedStyle('paragraph', name, displayName, content, { 'style:parent-style-name': parent, ...attributes });
}

/** Word counts font sizes in half points. */
function halfPoints(size: number): number {
  return Math.max(1, Math.round(size * 2) / 2);
}
