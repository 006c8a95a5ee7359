import type { Cell, NumberFormat } from '../../../../src/common/generated/script.ts';
import type { Styles } from '../styles.ts';
import { type Attributes, element } from '../xml.ts';

/** The language of separators as attributes of a data style. Without them the reader's language counts, as in Excel. */
export function getSeparators(language: string): Attributes {
  const locale = new Intl.Locale(language);
  const { region } = locale.maximize();
  return { 'number:language': locale.language, 'number:script': locale.script, 'number:country': region };
}

const LONG = { 'number:style': 'long' };
const DAY = element('number:day', LONG);
const MONTH = element('number:month', LONG);
const YEAR = element('number:year', LONG);
const MINUTES = element('number:minutes', LONG);
const SECONDS = element('number:seconds', LONG);

const text = (content: string) => element('number:text', {}, content);
const number = (decimals: number, grouping: boolean) =>
  element('number:number', {
    'number:decimal-places': decimals,
    'number:min-decimal-places': decimals,
    'number:min-integer-digits': 1,
    'number:grouping': grouping ? 'true' : undefined,
  });
const currency = (symbol: string, locale: string) => {
  const [language, country] = locale.split('-');
  return element('number:currency-symbol', { 'number:language': language, 'number:country': country }, symbol);
};

interface DataStyle {
  tag: 'number' | 'currency' | 'percentage' | 'date' | 'time' | 'text';
  content: string;
  attributes?: Attributes;
  /** It has separators, which depend on a language. */
  separators?: true;
  /** Characters, where all values have as many. */
  length?: number;
  /** Characters besides the digits before the decimal separator and the separators between them. */
  extra?: number;
}

const DATE = DAY + text('/') + MONTH + text('/') + YEAR;
const HOURS_MINUTES = element('number:hours', LONG) + text(':') + MINUTES;
const SCIENTIFIC = element('number:scientific-number', {
  'number:decimal-places': 2,
  'number:min-decimal-places': 2,
  'number:min-integer-digits': 1,
  'number:min-exponent-digits': 2,
});

/** The formats in ODF. A comment has the code in xlsx where no language is named. */
const FORMATS: Record<Exclude<NumberFormat, 'general'>, DataStyle> = {
  text: { tag: 'text', content: '<number:text-content/>' }, // @
  integer: { tag: 'number', content: number(0, true), separators: true, extra: 0 }, // #,##0
  decimal: { tag: 'number', content: number(2, true), separators: true, extra: 3 }, // #,##0.00
  percent: { tag: 'percentage', content: number(0, false) + text('%'), extra: 3 }, // 0%
  // 0.00%
  percent_decimal: { tag: 'percentage', content: number(2, false) + text('%'), separators: true, extra: 6 },
  // #,##0\ [$₫-42A]
  vnd: {
    tag: 'currency',
    content: `${number(0, true)}${text(' ')}${currency('₫', 'vi-VN')}`,
    separators: true,
    extra: 2,
  },
  // [$$-409]#,##0.00
  usd: { tag: 'currency', content: currency('$', 'en-US') + number(2, true), separators: true, extra: 4 },
  // #,##0.00\ [$€-407]
  eur: {
    tag: 'currency',
    content: `${number(2, true)}${text(' ')}${currency('€', 'de-DE')}`,
    separators: true,
    extra: 5,
  },
  date: { tag: 'date', content: DATE, length: 10 }, // dd/mm/yyyy
  date_iso: { tag: 'date', content: YEAR + text('-') + MONTH + text('-') + DAY, length: 10 }, // yyyy\-mm\-dd
  datetime: { tag: 'date', content: `${DATE}${text(' ')}${HOURS_MINUTES}`, length: 16 }, // dd/mm/yyyy\ hh:mm
  time: { tag: 'time', content: HOURS_MINUTES, length: 5 }, // hh:mm
  time_seconds: { tag: 'time', content: HOURS_MINUTES + text(':') + SECONDS, length: 8 }, // hh:mm:ss
  // [h]:mm:ss
  duration: {
    tag: 'time',
    content: `<number:hours/>${text(':')}${MINUTES}${text(':')}${SECONDS}`,
    attributes: { 'number:truncate-on-overflow': 'false' },
    length: 10,
  },
  scientific: { tag: 'number', content: SCIENTIFIC, separators: true, length: 9 }, // 0.00E+00
};

/** Name of a format's data style (ODF 1.3 part 3, 16.29); none for `general`. @param separators from `getSeparators()` */
export function dataStyle(format: NumberFormat, separators: Attributes, styles: Styles): string | undefined {
  if (format === 'general') return undefined;
  const { tag, content, attributes, separators: separated } = FORMATS[format];
  const prefix = `N${tag[0]}${tag[1]}`;
  return styles.other(prefix, `number:${tag}-style`, content, { ...attributes, ...(separated ? separators : {}) });
}

/** The default data style, for `office:styles`. */
export function generalStyle(name: string, separators: Attributes): string {
  const content = element('number:number', { 'number:min-integer-digits': 1 });
  return element('number:number-style', { 'style:name': name, ...separators }, content);
}

/** The largest results of formulas that have room. Results are unknown until they are calculated. */
const LARGEST_AMOUNT = -999_999_999_999;
const LARGEST_PERCENTAGE = -999;
/** A formula without a format may take over that of its cells: -999999999999.99, 21/11/2026 08:30. */
const FORMULA_LENGTH = 16;

/** Characters of a number, date or time in its format; 0 if they are unknown. */
export function shownLength(cell: Cell, format: NumberFormat): number {
  const isFormula = typeof cell === 'object' && cell?.type === 'formula';
  if (format === 'general') return isFormula ? FORMULA_LENGTH : 0;
  const { length, extra, tag } = FORMATS[format];
  if (length !== undefined) return length;
  const largest = tag === 'percentage' ? LARGEST_PERCENTAGE : LARGEST_AMOUNT;
  const given = typeof cell === 'object' && cell !== null && 'value' in cell ? cell.value : cell;
  const value = isFormula ? largest : given;
  if (extra === undefined || typeof value !== 'number') return 0;
  const digits = Math.max(1, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
  return digits + Math.floor((digits - 1) / 3) + extra + (value < 0 ? 1 : 0);
}

const AMOUNTS = { VND: 'vnd', USD: 'usd', EUR: 'eur' } as const;

/**
 * The format of a cell that names none: its row's or column's where it suits the cell's type, else the type's own.
 * @param inherited of the row, else of the column
 */
export function formatFor(cell: Cell, inherited: NumberFormat | undefined): NumberFormat | undefined {
  const type = typeof cell === 'object' ? cell?.type : typeof cell;
  if (type === 'boolean') return inherited && 'general';
  if (typeof cell !== 'object' || cell === null) return inherited;
  if (cell.type === 'currency') return AMOUNTS[cell.currency ?? 'VND'];
  if (inherited && inherited !== 'general' && FORMATS[inherited].tag === cell.type) return inherited;
  switch (cell.type) {
    case 'date':
      return cell.value.includes('T') ? 'datetime' : 'date';
    case 'time': {
      const [hours, , seconds] = cell.value.split(':');
      return Number(hours) >= 24 ? 'duration' : seconds === undefined ? 'time' : 'time_seconds';
    }
    case 'percentage':
      return Math.abs(cell.value * 100 - Math.round(cell.value * 100)) < 1e-9 ? 'percent' : 'percent_decimal';
    default:
      return inherited;
  }
}
