import type { NumberFormat } from '../../../../src/common/generated/script.ts';
import type { Styles } from '../styles.ts';
import { type Attributes, element } from '../xml.ts';

/** Language of separators as attributes of a data style; without any the reader's own are used, as Excel does. */
export function getSeparators(language: string): Attributes {
  const { language: code, script } = new Intl.Locale(language);
  const { region } = new Intl.Locale(language).maximize();
  return { 'number:language': code, 'number:script': script, 'number:country': region };
}

const LONG = { 'number:style': 'long' };
const DAY = element('number:day', LONG);
const MONTH = element('number:month', LONG);
const YEAR = element('number:year', LONG);
const HOURS = element('number:hours', LONG);
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
const currency = (symbol: string, language: string, country: string) =>
  element('number:currency-symbol', { 'number:language': language, 'number:country': country }, symbol);

interface DataStyle {
  tag: 'number' | 'currency' | 'percentage' | 'date' | 'time' | 'text';
  content: string;
  attributes?: Attributes;
  /** It shows separators, which follow a language. */
  separators?: true;
}

const DATE = [DAY, text('/'), MONTH, text('/'), YEAR];
const SCIENTIFIC = element('number:scientific-number', {
  'number:decimal-places': 2,
  'number:min-decimal-places': 2,
  'number:min-integer-digits': 1,
  'number:min-exponent-digits': 2,
});

/** Each format in ODF; the comment above it is the code that xlsx has if no language is named. */
const FORMATS: Record<Exclude<NumberFormat, 'general'>, DataStyle> = {
  // @
  text: { tag: 'text', content: '<number:text-content/>' },
  // #,##0
  integer: { tag: 'number', content: number(0, true), separators: true },
  // #,##0.00
  decimal: { tag: 'number', content: number(2, true), separators: true },
  // 0%
  percent: { tag: 'percentage', content: number(0, false) + text('%') },
  // 0.00%
  percent_decimal: { tag: 'percentage', content: number(2, false) + text('%'), separators: true },
  // #,##0\ [$₫-42A]
  vnd: { tag: 'currency', content: number(0, true) + text(' ') + currency('₫', 'vi', 'VN'), separators: true },
  // [$$-409]#,##0.00
  usd: { tag: 'currency', content: currency('$', 'en', 'US') + number(2, true), separators: true },
  // #,##0.00\ [$€-407]
  eur: { tag: 'currency', content: number(2, true) + text(' ') + currency('€', 'de', 'DE'), separators: true },
  // dd/mm/yyyy
  date: { tag: 'date', content: DATE.join('') },
  // yyyy\-mm\-dd
  date_iso: { tag: 'date', content: [YEAR, text('-'), MONTH, text('-'), DAY].join('') },
  // dd/mm/yyyy\ hh:mm
  datetime: { tag: 'date', content: [...DATE, text(' '), HOURS, text(':'), MINUTES].join('') },
  // hh:mm
  time: { tag: 'time', content: [HOURS, text(':'), MINUTES].join('') },
  // hh:mm:ss
  time_seconds: { tag: 'time', content: [HOURS, text(':'), MINUTES, text(':'), SECONDS].join('') },
  // [h]:mm:ss
  duration: {
    tag: 'time',
    content: ['<number:hours/>', text(':'), MINUTES, text(':'), SECONDS].join(''),
    attributes: { 'number:truncate-on-overflow': 'false' },
  },
  // 0.00E+00
  scientific: { tag: 'number', content: SCIENTIFIC, separators: true },
};

/**
 * Name of the data style (ODF 1.3 part 3, 16.29) of a format; none for `general`, where the value decides.
 * @param separators from `getSeparators()`
 */
export function dataStyle(format: NumberFormat, separators: Attributes, styles: Styles): string | undefined {
  if (format === 'general') return undefined;
  const { tag, content, attributes, separators: separated } = FORMATS[format];
  const prefix = `N${tag[0]}${tag[1]}`;
  return styles.other(prefix, `number:${tag}-style`, content, { ...attributes, ...(separated ? separators : {}) });
}

/** The data style that cells have where nothing is said, for `office:styles`. */
export function generalStyle(name: string, separators: Attributes): string {
  const content = element('number:number', { 'number:min-integer-digits': 1 });
  return element('number:number-style', { 'style:name': name, ...separators }, content);
}
