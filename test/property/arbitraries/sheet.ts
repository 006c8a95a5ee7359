import fc from 'fast-check';
import type {
  Cell,
  Column,
  NumberFormat,
  PrintSetup,
  Row,
  Script,
  Sheet,
} from '../../../src/common/generated/script.ts';
import * as common from './common.ts';
import { line, marked, text } from './words.ts';

const { mm } = common;
const FORMATS: NumberFormat[] = [
  ...(['general', 'text', 'integer', 'decimal', 'percent', 'percent_decimal', 'vnd', 'usd', 'eur'] as const),
  ...(['date', 'date_iso', 'datetime', 'time', 'time_seconds', 'duration', 'scientific'] as const),
];
const numberFormat = fc.constantFrom(...FORMATS);
const NUMERIC: NumberFormat[] = ['general', 'integer', 'decimal', 'percent', 'vnd', 'usd', 'eur', 'scientific'];

const looks = {
  ...common.letters,
  align: common.align,
  valign: common.valign,
  background: common.color,
  wrap: fc.boolean(),
  border: common.border,
};
const look = common.sparsely(looks);
const NUMBERS = [0, 1, -1, 0.1, 1 / 3, 12.5, -1234.56, 1234567, 1e15, 1.5e-7, 6.02e23];
const number = fc.constantFrom(...NUMBERS);

/** Formulas, and what they come to. */
export const FORMULAS: Readonly<Record<string, string | number | boolean>> = {
  '=1+2*3': 7,
  '=SUM(1,2,3)/4': 1.5,
  '=ROUND(10/3,2)': 3.33,
  '=IF(2>1,"đúng","sai")': 'đúng',
  '="A"&"&<b>"': 'A&<b>',
  '=LEN("Việt  Nam")': 9,
  '=AND(TRUE,1=1)': true,
  '=UPPER("ước")': 'ƯỚC',
  '=MAX(1,7,3)-MIN(4,2)': 5,
  '=IFERROR(1/0,"không")': 'không',
  '=SUMPRODUCT({1,2;3,4})': 10,
  '=TEXT(0.5,"0%")': '50%',
  '=DATE(2026,11,21)-DATE(2026,11,1)': 20,
  '=COLUMN(C1)+ROW(A1)': 4,
};

const time = fc.constantFrom('08:30', '23:59:59', '00:00', '30:15', '100:00:01');
const date = fc.constantFrom('2026-11-21', '2026-11-21T08:30', '2024-02-29T23:59:59', '1999-12-31', '2100-01-01');
const typed = fc
  .tuple(
    fc.oneof(
      text({ maxWords: 3 }).map((value) => ({ type: 'string', value })),
      fc.constantFrom('=1+1', '007', 'TRUE', '2026-11-21', '1e5', "'x").map((value) => ({ type: 'string', value })),
      fc
        .tuple(number, fc.constantFrom(...NUMERIC, undefined))
        .map(([value, format]) => withFormat('number', value, format)),
      fc.boolean().map((value) => ({ type: 'boolean', value })),
      date.map((value) => ({ type: 'date', value })),
      fc
        .tuple(date, fc.constantFrom('date', 'date_iso', 'datetime'))
        .map(([value, format]) => withFormat('date', value, format)),
      time.map((value) => ({ type: 'time', value })),
      fc
        .tuple(time, fc.constantFrom('time', 'time_seconds', 'duration'))
        .map(([value, format]) => withFormat('time', value, format)),
      number.map((value) => ({ type: 'percentage', value })),
      fc
        .tuple(number, fc.constantFrom('VND', 'USD', 'EUR', undefined))
        .map(([value, currency]) => ({ type: 'currency', value, ...(currency && { currency }) })),
      fc.constantFrom(...Object.keys(FORMULAS)).map((formula) => ({ type: 'formula', formula })),
      fc.constantFrom('string', 'boolean', 'percentage', 'currency', 'formula').chain((type) => formatted(type)),
    ),
    look,
  )
  .map(([value, own]) => ({ ...value, ...own }) as Cell);

function withFormat(type: string, value: unknown, format: string | undefined): object {
  return { type, value, ...(format && { format }) };
}

/** Formats on cells that would rather have another. */
function formatted(type: string): fc.Arbitrary<object> {
  if (type === 'formula') {
    return fc.constantFrom(...NUMERIC).map((format) => ({ type, formula: '=SUM(1,2,3)/4', format }));
  }
  const format = type === 'string' ? fc.constantFrom('text', 'general') : fc.constantFrom('general');
  const value = type === 'string' ? line(1) : type === 'boolean' ? fc.boolean() : fc.constant(0.125);
  return fc.record({ type: fc.constant(type), value, format });
}

const cell: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 3, arbitrary: text({ maxWords: 3 }) },
  { weight: 2, arbitrary: number },
  fc.boolean(),
  fc.constant(null),
  { weight: 5, arbitrary: typed },
);
const cells = fc.array(cell, { minLength: 0, maxLength: 5 });
const row: fc.Arbitrary<Row> = fc.oneof(
  { weight: 3, arbitrary: cells },
  fc
    .tuple(cells, common.sparsely({ ...looks, height: mm(5, 30), format: numberFormat }))
    .map(([content, own]) => ({ cells: content, ...own })),
);
const column: fc.Arbitrary<Column> = common.sparsely({
  ...looks,
  width: mm(5, 120),
  hidden: fc.boolean(),
  format: numberFormat,
});

const AREAS = ['A1:C4', '$A$1:$E$9', 'b2:D3'];
const print = common.partial<PrintSetup>({
  size: common.paper,
  orientation: fc.constantFrom('portrait', 'landscape'),
  margins: common.partial({ top: mm(10, 40), right: mm(5, 30), bottom: mm(10, 40), left: mm(5, 30) }),
  fit_width: fc.constantFrom(1, 2),
  fit_height: fc.constantFrom(1, 3),
  repeat_rows: fc.constantFrom(1, 2),
  repeat_columns: fc.constantFrom(1, 2),
  gridlines: fc.boolean(),
  center: fc.boolean(),
  area: fc.constantFrom(...AREAS),
  header: common.marginal,
  footer: common.marginal,
});

const NAMES = ['Bảng giá', "Kho '2", 'A & <B>', 'Q1 2026', '漢字', 'Sheet 3.1', 'x-y', '😀 vui'];
const freeze = fc
  .record({ rows: fc.integer({ min: 0, max: 3 }), columns: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] })
  .filter((value) => Object.keys(value).length > 0);
const sheet = common.partial<Sheet, 'rows'>(
  {
    name: fc.constantFrom(...NAMES),
    columns: fc.array(column, { minLength: 1, maxLength: 5 }),
    rows: fc.array(row, { minLength: 0, maxLength: 6 }),
    freeze,
    autofilter: fc.oneof(fc.boolean(), fc.constantFrom('A1:C4', 'A2:B20')),
    tab_color: common.color,
    hidden: fc.boolean(),
    print,
  },
  ['rows'],
);

/** Scripts of type `sheet`. */
export const sheetScript: fc.Arbitrary<Script> = common
  .partial<Script, 'svcscript' | 'type' | 'save' | 'sheets'>(
    {
      svcscript: fc.constant(1 as const),
      type: fc.constant('sheet' as const),
      meta: common.meta,
      save: common.save('xlsx', 'ods', 'pdf'),
      sheets: fc.uniqueArray(sheet, { minLength: 1, maxLength: 3, selector: ({ name }) => name ?? Symbol('unnamed') }),
    } as never,
    ['svcscript', 'type', 'save', 'sheets'],
  )
  .map(marked);
