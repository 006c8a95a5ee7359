import { FormulaError } from './formula-tokens.ts';

/** Functions newer than Excel 2007: in files their names begin with `_xlfn.` ([MS-XLSX] 2.2.2). */
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

const NEWER_SHEET_FUNCTIONS = new Set(['FILTER', 'SORT']);

/** Functions that reach outside the document, run something, or show facts of the machine. */
const FORBIDDEN =
  /^(?:WEBSERVICE|FILTERXML|IMAGE|STOCKHISTORY|DDE|RTD|CALL|REGISTER(?:\.ID)?|EVALUATE|EXEC|SQL\.REQUEST|CUBE\w*|INFO|TABLE|MULTIPLE\.OPERATIONS|(?:ORG|COM)\..*)$/;

const LINK = /^(?:https?:\/\/|mailto:|tel:|#)/i;
const ELSEWHERE = /[[\]#|]|:\/|file:/i;
const CELL_FACTS = new Set('address col color contents format parentheses prefix protect row type width'.split(' '));

/** A function's name in capitals, without prefixes. All of them go: a second one would hide a forbidden function. */
export function plainName(name: string): string {
  return name.toUpperCase().replace(/^(?:_XLFN\.|_XLWS\.)+/, '');
}

/** A function's name as it stands in files. */
export function fileName(name: string): string {
  if (NEWER_SHEET_FUNCTIONS.has(name)) return `_xlfn._xlws.${name}`;
  return NEWER.has(name) ? `_xlfn.${name}` : name;
}

const WITHOUT_ARGUMENTS = /^(?:PI|TRUE|FALSE|NA|NOW|TODAY|RAND|RANDARRAY|ROW|COLUMN|SHEETS?)$/;

/** Excel cannot open files that call other functions without arguments. @throws {FormulaError} */
export function checkNoArguments(name: string): void {
  if (!WITHOUT_ARGUMENTS.test(name)) throw new FormulaError('có hàm cần đối số');
}

/** @throws {FormulaError} for a forbidden function */
export function checkFunction(name: string): void {
  if (FORBIDDEN.test(name)) throw new FormulaError('có hàm không được phép: hàm đó truy cập ra ngoài tài liệu');
}

/**
 * Checks the first argument of a call. Only literals can be checked; a computed reference to another file becomes an error
 * value, because the engine follows no links.
 * @param text of the literal, empty for anything else
 * @throws {FormulaError}
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
