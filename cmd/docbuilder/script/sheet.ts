import type { Sheet } from '../../../src/common/generated/script.ts';
import { createWorkbook, sheetNames } from './check/formula.ts';
import { type ContentBuilder, getLanguage, languageAttributes } from './document.ts';
import { getSeparators } from './sheet/formats.ts';
import { cellDefaults } from './sheet/look.ts';
import { masterPage } from './sheet/print.ts';
import { columnsXml, countColumns, rowsXml, type SheetContext } from './sheet/rows.ts';
import { parseRange, rangeAddress, viewSettings } from './sheet/views.ts';
import { Styles } from './styles.ts';
import { element, startTag } from './xml.ts';

/** Comparisons and searches as in Excel; ODF's own defaults differ. */
const CALCULATION = element('table:calculation-settings', {
  'table:case-sensitive': 'false',
  'table:automatic-find-labels': 'false',
  'table:use-regular-expressions': 'false',
  'table:use-wildcards': 'true',
});

/**
 * A spreadsheet (svcscript `type` = `sheet`). If xlsx is the only format, number formats name no language and come out as
 * Excel writes them: `#,##0`. Other formats need it for their separators; xlsx would have it before each code
 * (`[$-42A]#,##0`), so callers build xlsx apart.
 */
export const buildSheets: ContentBuilder = (script, { now }) => {
  const { meta = {}, sheets = [] } = script;
  const styles = new Styles();
  const names = sheetNames(sheets);
  const isExcel = script.save.every(({ format }) => format === 'xlsx');
  const separators = isExcel ? {} : getSeparators(getLanguage(meta));
  const context: SheetContext = { styles, workbook: createWorkbook(names), separators, isExcel };
  const masters = sheets.map(({ print }, index) => masterPage(pageName(index), print, meta, now, styles)).join('');
  // One sheet must be shown: the first, if all are hidden.
  const firstShown = sheets.findIndex(({ hidden }) => !hidden);
  const shown = Math.max(0, firstShown);
  return {
    kind: 'spreadsheet',
    body: body(sheets, names, shown, context),
    head: () => ({
      settings: viewSettings(sheets, names, shown),
      styles: cellDefaults(languageAttributes(meta), separators),
      automatic: styles.xml,
      masters,
    }),
  };
};

function pageName(index: number): string {
  return `Page${index + 1}`;
}

function* body(
  sheets: readonly Sheet[],
  names: readonly string[],
  shown: number,
  context: SheetContext,
): Generator<string> {
  yield CALCULATION;
  let filters = '';
  for (const [index, sheet] of sheets.entries()) {
    const name = names[index] ?? '';
    const width = countColumns(sheet);
    const look = {
      'table:display': String(!sheet.hidden || index === shown),
      'table:tab-color': sheet.tab_color,
    };
    yield startTag('table:table', {
      'table:name': name,
      'table:style-name': context.styles.of('table', look, { 'style:master-page-name': pageName(index) }),
      'table:print-ranges': sheet.print?.area && rangeAddress(name, parseRange(sheet.print.area)),
    });
    yield columnsXml(sheet, width, context);
    yield* rowsXml(sheet, width, context);
    yield '</table:table>';
    filters += filterXml(sheet, name, index, width);
  }
  if (filters) yield element('table:database-ranges', {}, filters);
}

/** LibreOffice keeps the filter buttons of a sheet in a range with a name of this form. */
function filterXml({ autofilter, rows }: Sheet, name: string, index: number, width: number): string {
  if (!autofilter || (autofilter === true && rows.length === 0)) return '';
  const used = { left: 0, top: 0, right: width - 1, bottom: rows.length - 1 };
  return element('table:database-range', {
    'table:name': `__Anonymous_Sheet_DB__${index}`,
    'table:target-range-address': rangeAddress(name, autofilter === true ? used : parseRange(autofilter)),
    'table:display-filter-buttons': 'true',
  });
}
