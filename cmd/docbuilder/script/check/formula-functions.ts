import { FormulaError } from './formula-tokens.ts';

/**
 * Functions that came after Excel 2007: in files, and in the notation LibreOffice reads, their names begin with
 * `_xlfn.` ([MS-XLSX] 2.2.2).
 */
const NEWER = new Set(
  `ACOT ACOTH AGGREGATE ARABIC BASE BETA.DIST BETA.INV BINOM.DIST BINOM.DIST.RANGE BINOM.INV BITAND BITLSHIFT BITOR
  BITRSHIFT BITXOR BYCOL BYROW CEILING.MATH CEILING.PRECISE CHISQ.DIST CHISQ.DIST.RT CHISQ.INV CHISQ.INV.RT CHISQ.TEST
  CHOOSECOLS CHOOSEROWS COMBINA CONCAT CONFIDENCE.NORM CONFIDENCE.T COT COTH COVARIANCE.P COVARIANCE.S CSC CSCH DAYS
  DECIMAL DROP ENCODEURL ERF.PRECISE ERFC.PRECISE EXPAND EXPON.DIST F.DIST F.DIST.RT F.INV F.INV.RT F.TEST FLOOR.MATH
  FLOOR.PRECISE FORECAST.ETS FORECAST.ETS.CONFINT FORECAST.ETS.SEASONALITY FORECAST.ETS.STAT FORECAST.LINEAR
  FORMULATEXT GAMMA GAMMA.DIST GAMMA.INV GAMMALN.PRECISE GAUSS HSTACK HYPGEOM.DIST IFNA IFS IMCOSH IMCOT IMCSC IMCSCH
  IMSEC IMSECH IMSINH IMTAN ISFORMULA ISOWEEKNUM LOGNORM.DIST LOGNORM.INV MAXIFS MINIFS MODE.MULT MODE.SNGL MUNIT
  NEGBINOM.DIST NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV NUMBERVALUE PDURATION PERCENTILE.EXC PERCENTILE.INC
  PERCENTRANK.EXC PERCENTRANK.INC PERMUTATIONA PHI POISSON.DIST QUARTILE.EXC QUARTILE.INC RANDARRAY RANK.AVG RANK.EQ
  RRI SEC SECH SEQUENCE SHEET SHEETS SKEW.P SORTBY STDEV.P STDEV.S SWITCH T.DIST T.DIST.2T T.DIST.RT T.INV T.INV.2T
  T.TEST TAKE TEXTAFTER TEXTBEFORE TEXTJOIN TEXTSPLIT TOCOL TOROW UNICHAR UNICODE UNIQUE VAR.P VAR.S VSTACK
  WEIBULL.DIST WRAPCOLS WRAPROWS XLOOKUP XMATCH XOR Z.TEST`.split(/\s+/),
);

/** These two have a prefix more. */
const NEWER_SHEET_FUNCTIONS = new Set(['FILTER', 'SORT']);

/** Functions that would reach outside the document, run something, or tell about the machine. */
const FORBIDDEN =
  /^(?:WEBSERVICE|FILTERXML|IMAGE|STOCKHISTORY|DDE|RTD|CALL|REGISTER(?:\.ID)?|EVALUATE|EXEC|SQL\.REQUEST|CUBE\w*|INFO|TABLE|MULTIPLE\.OPERATIONS|(?:ORG|COM)\..*)$/;

const LINK = /^(?:https?:\/\/|mailto:|tel:|#)/i;
const ELSEWHERE = /[[\]#|]|:\/|file:/i;
const CELL_FACTS = new Set('address col color contents format parentheses prefix protect row type width'.split(' '));

/**
 * A function's name without the prefixes it has in files, in capitals. Without all of them, in any order: a second one would
 * hide a function that may not be used.
 */
export function plainName(name: string): string {
  return name.toUpperCase().replace(/^(?:_XLFN\.|_XLWS\.)+/, '');
}

/** A function's name as it stands in files. */
export function fileName(name: string): string {
  if (NEWER_SHEET_FUNCTIONS.has(name)) return `_xlfn._xlws.${name}`;
  return NEWER.has(name) ? `_xlfn.${name}` : name;
}

const WITHOUT_ARGUMENTS = /^(?:PI|TRUE|FALSE|NA|NOW|TODAY|RAND|RANDARRAY|ROW|COLUMN|SHEETS?)$/;

/** Excel cannot open a file in which others are called without arguments. @throws {FormulaError} */
export function checkNoArguments(name: string): void {
  if (!WITHOUT_ARGUMENTS.test(name)) throw new FormulaError('có hàm cần đối số');
}

/** @throws {FormulaError} where a function may not be used at all */
export function checkFunction(name: string): void {
  if (FORBIDDEN.test(name)) throw new FormulaError('có hàm không được phép: hàm đó truy cập ra ngoài tài liệu');
}

/**
 * Checks what a call begins with. Only what a literal says can be judged here; a computed reference to another file is
 * an error value, for the engine follows no links.
 * @param text the literal, or empty where the argument begins with something else
 * @throws {FormulaError} where it may not begin with this
 */
export function checkFirstArgument(name: string, text = ''): void {
  if (name === 'HYPERLINK' && !LINK.test(text)) {
    throw new FormulaError('địa chỉ của HYPERLINK phải bắt đầu bằng chuỗi http:, https:, mailto:, tel: hoặc #');
  }
  if (name === 'CELL' && !CELL_FACTS.has(text.toLowerCase())) {
    throw new FormulaError('đối số đầu của CELL phải là chuỗi nêu thông tin về ô, chẳng hạn "row"');
  }
  if (name === 'INDIRECT' && ELSEWHERE.test(text)) {
    throw new FormulaError('INDIRECT không được tham chiếu đến tệp khác');
  }
}
