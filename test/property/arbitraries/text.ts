import fc from 'fast-check';
import type {
  Block,
  Heading,
  Image,
  List,
  Page,
  Paragraph,
  Script,
  Table,
  TextStyle,
} from '../../../src/common/generated/script.ts';
import * as common from './common.ts';
import { pictureSource } from './picture.ts';
import { line, marked, text } from './words.ts';

const { mm } = common;
const placement = {
  align: common.align,
  space_before: mm(0, 20),
  space_after: mm(0, 20),
  line_spacing: fc.constantFrom(80, 100, 115, 150, 200),
  indent_left: mm(0, 30),
  indent_right: mm(0, 20),
  /** Not beyond the paper's edge. */
  first_line_indent: mm(-5, 15),
  keep_with_next: fc.boolean(),
};

const heading: fc.Arbitrary<Heading> = fc
  .tuple(
    fc.integer({ min: 1, max: 6 }),
    common.inline(),
    common.look,
    common.sparsely({ ...placement, page_break_before: fc.boolean() }),
  )
  .map(([level, content, look, place]) => ({ type: 'heading', level, text: content, ...look, ...place }) as Heading);
const paragraph: fc.Arbitrary<Paragraph> = fc
  .tuple(common.inline(), common.look, common.sparsely(placement))
  .map(([content, look, place]) => ({ type: 'paragraph', text: content, ...look, ...place }));
const list = common.partial<List, 'type' | 'items'>(
  {
    type: fc.constant('list'),
    ordered: fc.boolean(),
    numbering: fc.constantFrom('decimal', 'lower_alpha', 'upper_alpha', 'lower_roman', 'upper_roman'),
    start: fc.constantFrom(1, 2, 7, 40),
    items: common.items(),
  },
  ['type', 'items'],
);
const table: fc.Arbitrary<Table> = fc
  .tuple(
    common.tableParts(text({ maxWords: 4 })),
    common.partial<Pick<Table, 'borders' | 'border' | 'header_style'>>({
      borders: fc.constantFrom('all', 'horizontal', 'outer', 'none'),
      border: common.border,
      header_style: common.cellLook,
    }),
  )
  .map(([parts, look]) => ({ type: 'table', ...parts, ...look }) as Table);
const image: fc.Arbitrary<Image> = fc
  .tuple(
    pictureSource,
    common.sparsely({
      alt: line(),
      // No page is so low that one of these sizes, in proportions of 1 to 3, would be reduced.
      width: mm(5, 10),
      height: mm(5, 30),
      align: fc.constantFrom('left', 'center', 'right'),
      caption: common.inline(),
    }),
  )
  .map(([source, rest]) => ({ type: 'image', ...source, ...rest }) as Image);
const rule = common.partial<Extract<Block, { type: 'horizontal_rule' }>, 'type'>(
  { type: fc.constant('horizontal_rule'), width: fc.constantFrom(0.25, 0.75, 2, 4.5), color: common.color },
  ['type'],
);
const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 4, arbitrary: paragraph },
  { weight: 3, arbitrary: heading },
  { weight: 3, arbitrary: list },
  { weight: 3, arbitrary: table },
  { weight: 2, arbitrary: image },
  fc.constant({ type: 'page_break' as const }),
  rule,
);

const page = common.partial<Page>({
  size: common.paper,
  orientation: fc.constantFrom('portrait', 'landscape'),
  margins: common.partial({ top: mm(10, 40), right: mm(5, 30), bottom: mm(10, 40), left: mm(5, 30) }),
});
const style = common.partial<TextStyle>({
  font: common.font,
  size: fc.constantFrom(8, 10.5, 12, 14),
  color: common.color,
  align: common.align,
  line_spacing: fc.constantFrom(90, 100, 130),
  space_after: mm(0, 6),
  heading_font: common.font,
  heading_color: common.color,
});

/** Scripts of type `text`. */
export const textScript: fc.Arbitrary<Script> = common
  .partial<Script, 'svcscript' | 'type' | 'save' | 'body'>(
    {
      $schema: fc.constant('https://example.com/v1/script.schema.json'),
      svcscript: fc.constant(1 as const),
      type: fc.constant('text' as const),
      meta: common.meta,
      save: common.save('docx', 'odt', 'pdf'),
      page,
      style,
      header: common.marginal,
      footer: common.marginal,
      body: fc.array(block, { minLength: 1, maxLength: 8 }),
    } as never,
    ['svcscript', 'type', 'save', 'body'],
  )
  .map(marked);
