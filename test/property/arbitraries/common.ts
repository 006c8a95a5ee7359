import fc from 'fast-check';
import type {
  Border,
  Inline,
  ListItem,
  Marginal,
  MarginalInline,
  MarginalPart,
  Meta,
  Paper,
  Run,
  Save,
  TableCell,
  TableColumn,
} from '../../../src/common/generated/script.ts';
import { line, text } from './words.ts';

/** A record of which every key but the required ones may be missing. */
export function partial<Value extends object, Required extends keyof Value = never>(
  arbitraries: { [Key in keyof Value]-?: fc.Arbitrary<NonNullable<Value[Key]>> },
  requiredKeys: Required[] = [],
): fc.Arbitrary<Value> {
  return fc.record(arbitraries, { requiredKeys: requiredKeys as never[] }) as unknown as fc.Arbitrary<Value>;
}

const COLORS = ['#FF0000', '#1F6FB2', '#00aa55', '#FFCC00', '#7030A0', '#123456', '#EEEEEE', '#000000', '#FFFFFF'];
const FONTS = ['Liberation Serif', 'Noto Sans', 'DejaVu Sans', 'Liberation Mono', 'Calibri', 'Phông, lạ', "O'Neil"];
const LINKS = [
  'https://example.com/a?b=1&c=%C3%BC#d',
  'http://example.com/',
  'mailto:a@example.com',
  'tel:+84-24-1234',
];

export const color = fc.constantFrom(...COLORS);
export const font = fc.constantFrom(...FONTS);
export const size = fc.constantFrom(6, 8, 9.5, 10.5, 12, 13, 16, 20, 28);
export const border: fc.Arbitrary<Border> = partial<Border>({ width: fc.constantFrom(0, 0.5, 1, 2.25, 3), color });
export const align = fc.constantFrom('left' as const, 'center' as const, 'right' as const, 'justify' as const);
export const valign = fc.constantFrom('top' as const, 'middle' as const, 'bottom' as const);

/** Millimetres, in halves. */
export const mm = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: Math.ceil(min * 2), max: Math.floor(max * 2) }).map((half) => half / 2);

/** What letters, boxes and cells have in common. */
export const letters = {
  bold: fc.boolean(),
  italic: fc.boolean(),
  underline: fc.boolean(),
  strike: fc.boolean(),
  color,
  font,
  size,
};
const script = fc.constantFrom('super' as const, 'sub' as const);

/** Each key of `model` in two of five. */
export function sparsely<Value extends object>(model: { [Key in keyof Value]: fc.Arbitrary<Value[Key]> }) {
  const rare = Object.entries<fc.Arbitrary<unknown>>(model).map(([key, value]) => [key, rarely(value)]);
  return fc.record(Object.fromEntries(rare)).map(defined) as fc.Arbitrary<Partial<Value>>;
}

function rarely(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: value });
}

function defined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** A look of which little is said; more than that hides mistakes in what is inherited. */
export const look = sparsely({ ...letters, highlight: color });
export const boxLook = sparsely({ ...letters, align, valign, background: color, border });
const cell = { highlight: color, align, valign, background: color, border };
export const cellLook = sparsely({ ...letters, ...cell });
/** What grows beyond a slide is not in the PDF, so letters in tables and lists are small there. */
export const smallLetters = { ...letters, size: fc.constantFrom(6, 8, 9.5, 10.5, 12) };
export const smallCellLook = sparsely({ ...smallLetters, ...cell });

const runLook = sparsely({ ...letters, highlight: color, script, link: fc.constantFrom(...LINKS) });

export const smallRunLook = sparsely({ ...smallLetters, highlight: color, script, link: fc.constantFrom(...LINKS) });

export const run = (words: fc.Arbitrary<string> = text(), look = runLook): fc.Arbitrary<Run> =>
  fc.tuple(words, look).map(([content, own]) => ({ text: content, ...own }));

export function inline(words: fc.Arbitrary<string> = text(), look = runLook): fc.Arbitrary<Inline> {
  const part = fc.oneof(words, run(words, look));
  return fc.oneof(words, run(words, look), fc.array(part, { minLength: 1, maxLength: 4 }));
}

const marginalPart: fc.Arbitrary<MarginalPart> = fc
  .tuple(
    fc.oneof(
      line(2).map((content) => ({ text: content })),
      fc.constantFrom('page', 'pages', 'title', 'date').map((field) => ({ field }) as MarginalPart),
    ),
    sparsely({ ...letters, size: fc.constantFrom(6, 8, 9.5), highlight: color, script }),
  )
  .map(([content, own]) => ({ ...content, ...own }));
const marginalInline: fc.Arbitrary<MarginalInline> = fc.oneof(
  line(1),
  marginalPart,
  fc.array(fc.oneof(line(1), marginalPart), { minLength: 1, maxLength: 3 }),
);
const marginalRecord = partial<Marginal>({
  left: marginalInline,
  center: marginalInline,
  right: marginalInline,
  line: fc.boolean(),
});
export const marginal: fc.Arbitrary<Marginal> = marginalRecord.filter((value) => Object.keys(value).length > 0);

export const paper: fc.Arbitrary<Paper> = fc.oneof(
  fc.constantFrom('A3' as const, 'A4' as const, 'A5' as const, 'B5' as const, 'Letter' as const, 'Legal' as const),
  fc.record({ width: mm(140, 400), height: mm(180, 500) }),
);

const item = (words: fc.Arbitrary<string>, look = runLook) =>
  fc.letrec<{ leaf: ListItem; two: ListItem; one: ListItem }>((tie) => ({
    leaf: fc.oneof(
      words,
      fc.array(run(words, look), { minLength: 1, maxLength: 2 }),
      fc.record({ text: inline(words, look) }),
    ),
    two: fc.oneof({ weight: 3, arbitrary: tie('leaf') }, nested(words, tie('leaf'), look)),
    one: fc.oneof({ weight: 2, arbitrary: tie('leaf') }, nested(words, tie('two'), look)),
  })).one;

function nested(words: fc.Arbitrary<string>, below: fc.Arbitrary<ListItem>, look = runLook): fc.Arbitrary<ListItem> {
  return fc.record(
    { text: inline(words, look), ordered: fc.boolean(), items: fc.array(below, { minLength: 1, maxLength: 3 }) },
    { requiredKeys: ['text', 'items'] },
  );
}

/** Items on up to three levels. */
export const items = (words: fc.Arbitrary<string> = text(), look = runLook): fc.Arbitrary<ListItem[]> =>
  fc.array(item(words, look), { minLength: 1, maxLength: 4 });

export interface TableParts {
  columns?: TableColumn[];
  header?: TableCell[];
  rows: TableCell[][];
}

const column: fc.Arbitrary<TableColumn> = fc.oneof(
  fc.constantFrom(1, 2, 3),
  partial<Exclude<TableColumn, number>>({ width: fc.constantFrom(0.75, 1, 2.5), align }),
);

/** Columns, header and rows of a table, of one width. */
export function tableParts(
  words: fc.Arbitrary<string>,
  looks = { run: runLook, cell: cellLook },
): fc.Arbitrary<TableParts> {
  const cell: fc.Arbitrary<TableCell> = fc.oneof(
    { weight: 3, arbitrary: words },
    { weight: 1, arbitrary: fc.constantFrom(0, -1.5, 1234567, 0.1) },
    {
      weight: 3,
      arbitrary: fc.tuple(inline(words, looks.run), looks.cell).map(([content, own]) => ({ text: content, ...own })),
    },
  );
  return fc.integer({ min: 1, max: 4 }).chain((width) => {
    const row = fc.array(cell, { minLength: width, maxLength: width });
    return partial<TableParts, 'rows'>(
      {
        columns: fc.array(column, { minLength: width, maxLength: width }),
        header: row,
        rows: fc.array(row, { minLength: 1, maxLength: 4 }),
      },
      ['rows'],
    );
  });
}

const LANGUAGES = ['vi-VN', 'en-US', 'de-DE', 'fr', 'ja-JP', 'ar-EG', 'zh-Hant-TW'];
export const meta: fc.Arbitrary<Meta> = partial<Meta>({
  title: line(),
  subject: line(),
  author: line(),
  keywords: fc.array(fc.constantFrom('hợp đồng', 'năm 2026', 'A&B', 'từ "khóa"', 'Huế, Hội An'), { maxLength: 3 }),
  description: line(),
  lang: fc.constantFrom(...LANGUAGES),
});

/** Every format of a kind, each once; the PDF as PDF/A or not. */
export const save = (...formats: Save['format'][]): fc.Arbitrary<Save[]> =>
  fc.record({ pdfa: fc.boolean(), filename: fc.option(line(1), { nil: undefined }) }).map(({ pdfa, filename }) =>
    formats.map((format) => ({
      format,
      ...(filename === undefined ? {} : { filename: `${filename.replace(/[/\\:*?"<>|]/g, '')}x` }),
      ...(format === 'pdf' && pdfa ? { pdfa } : {}),
    })),
  );
