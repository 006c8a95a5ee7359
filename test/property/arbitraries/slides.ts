import fc from 'fast-check';
import type {
  Element,
  Script,
  Slide,
  SlideContent,
  SlideStyle,
  TableElement,
} from '../../../src/common/generated/script.ts';
import * as common from './common.ts';
import { pictureSource } from './picture.ts';
import { line, marked, text } from './words.ts';

const { mm } = common;
const words = text({ maxWords: 2 });
/** Within a slide of 4:3, with room for a few words. */
const place = { x: mm(0, 100), y: mm(0, 60), width: mm(60, 150), height: mm(40, 120) };
const box = fc.record(place);

/** For tables: what grows beyond the slide is not in the PDF. */
const wide = fc.record({ x: mm(0, 20), y: mm(0, 10), width: mm(210, 230), height: mm(20, 60) });

function element(type: string, ...parts: fc.Arbitrary<object>[]): fc.Arbitrary<Element> {
  return placed(type, box, ...parts);
}

function placed(type: string, ...parts: fc.Arbitrary<object>[]): fc.Arbitrary<Element> {
  return fc.tuple(...parts).map((all) => Object.assign({ type }, ...all) as Element);
}

const SHAPES = ['rectangle', 'rounded_rectangle', 'ellipse', 'triangle', 'diamond'];
const sized = common.sparsely({ size: common.size });
const bulletsLook = common.sparsely({
  ...common.smallLetters,
  valign: common.valign,
  background: common.color,
  border: common.border,
});
const textLook = common.sparsely({
  ...common.letters,
  align: common.align,
  valign: common.valign,
  background: common.color,
  border: common.border,
});
const tableElement = placed(
  'table',
  wide,
  common.tableParts(text({ maxWords: 1, breaks: [] }), { run: common.smallRunLook, cell: common.smallCellLook }),
  common.partial<Pick<TableElement, 'border' | 'header_style' | 'size'>>({
    border: common.border,
    header_style: common.smallCellLook,
    size: fc.constantFrom(8, 10, 12),
  }),
);
const image = fc
  .tuple(
    pictureSource,
    fc.record({ x: place.x, y: place.y }),
    common.sparsely({ width: mm(10, 80), height: mm(10, 80), alt: line() }),
  )
  .map((parts) => Object.assign({ type: 'image' }, ...parts) as Element);
const anyElement: fc.Arbitrary<Element> = fc.oneof(
  { weight: 3, arbitrary: element('text', fc.record({ text: common.inline(words) }), textLook) },
  {
    weight: 2,
    arbitrary: element(
      'bullets',
      fc.record({ items: common.items(words, common.smallRunLook) }),
      bulletsLook,
      orderedOrNot(),
    ),
  },
  { weight: 2, arbitrary: tableElement },
  { weight: 2, arbitrary: image },
  element(
    'shape',
    fc.record({ shape: fc.constantFrom(...SHAPES), text: common.inline(words) }, { requiredKeys: ['shape'] }),
    textLook,
  ),
  element('shape', fc.record({ shape: fc.constantFrom('line', 'arrow') }), common.sparsely({ border: common.border })),
  element('shape', fc.record({ shape: fc.constantFrom(...SHAPES) }), sized, textLook),
);

function orderedOrNot(): fc.Arbitrary<object> {
  return common.sparsely({ ordered: fc.boolean() });
}

const content: fc.Arbitrary<SlideContent> = fc.oneof(words, common.items(words, common.smallRunLook));
const rest = common.sparsely({
  elements: fc.array(anyElement, { minLength: 1, maxLength: 3 }),
  background: common.color,
  notes: text({ maxWords: 8 }),
});
const title = common.inline(text({ maxWords: 2, breaks: ['\n'] }));
const bodies: fc.Arbitrary<object>[] = [
  fc.record(
    { layout: fc.constantFrom('title', 'section'), title, subtitle: common.inline(words) },
    { requiredKeys: ['layout', 'title'] },
  ),
  fc.record({ layout: fc.constant('content'), title, content }, { requiredKeys: ['layout', 'title'] }),
  fc.record(
    { layout: fc.constant('two_columns'), title, left: content, right: content },
    { requiredKeys: ['layout', 'title'] },
  ),
  fc.constant({ layout: 'blank' }),
];
const slide = fc.tuple(fc.oneof(...bodies), rest).map((parts) => Object.assign({}, ...parts) as Slide);

const style = common.partial<SlideStyle>({
  font: common.font,
  title_font: common.font,
  color: common.color,
  title_color: common.color,
  accent: common.color,
  background: common.color,
  footer: line(),
  slide_numbers: fc.boolean(),
});

/** Scripts of type `slides`. */
export const slidesScript: fc.Arbitrary<Script> = common
  .partial<Script, 'svcscript' | 'type' | 'save' | 'slides'>(
    {
      svcscript: fc.constant(1 as const),
      type: fc.constant('slides' as const),
      meta: common.meta,
      save: common.save('pptx', 'odp', 'pdf'),
      slide_size: fc.constantFrom('16:9', '4:3'),
      slide_style: style,
      slides: fc.array(slide, { minLength: 1, maxLength: 4 }),
    } as never,
    ['svcscript', 'type', 'save', 'slides'],
  )
  .map(marked);
