import type { Sheet } from '../../../src/common/generated/script.ts';
import { createWorkbook, sheetNames } from './check/formula.ts';
import { writeHead, writeTail } from './document.ts';
import type { FlatBuilder } from './flat.ts';
import { getLanguage, languageAttributes } from './metadata.ts';
import { getSeparators } from './sheet/formats.ts';
import { cellDefaults } from './sheet/look.ts';
import { type MasterPage, masterPage } from './sheet/print.ts';
import { columnsXml, countColumns, rowsXml, type SheetContext } from './sheet/rows.ts';
import { parseRange, rangeAddress, viewSettings } from './sheet/views.ts';
import { createStyles, properties } from './styles.ts';
import { element, startTag } from './xml.ts';

/** Comparisons and searches as in Excel; ODF's own defaults differ. */
const CALCULATION = element('table:calculation-settings', {
  'table:case-sensitive': 'false',
  'table:automatic-find-labels': 'false',
  'table:use-regular-expressions': 'false',
  'table:use-wildcards': 'true',
});

/**
 * A spreadsheet of a checked script of type `sheet`.
 *
 * If xlsx is the only format, number formats name no language and come out as Excel writes them (`#,##0`).
 * In other formats they name the document's, for its separators; an xlsx of the same file then has it before each
 * code (`[$-42A]#,##0`), which Excel reads as the same. So a caller builds xlsx apart from the others.
 */
export const buildSheets: FlatBuilder = (script, { now }) => {
  const { meta = {}, sheets = [] } = script;
  const styles = createStyles();
  const names = sheetNames(sheets);
  const separators = script.save.every(({ format }) => format === 'xlsx') ? {} : getSeparators(getLanguage(meta));
  const context: SheetContext = { styles, workbook: createWorkbook(names), separators };
  const pages = sheets.map(({ print }, index) => masterPage(`Page${index + 1}`, print, meta, now, styles));
  return {
    body: body(sheets, names, pages, context),
    head: () =>
      writeHead({
        kind: 'spreadsheet',
        meta,
        now,
        settings: viewSettings(sheets, names, firstShown(sheets)),
        styles: cellDefaults(languageAttributes(meta), separators),
        automatic: styles.xml(),
        masters: pages.map(({ xml }) => xml).join(''),
      }),
    tail: writeTail('spreadsheet'),
  };
};

function* body(
  sheets: readonly Sheet[],
  names: readonly string[],
  pages: readonly MasterPage[],
  context: SheetContext,
): Generator<string> {
  yield CALCULATION;
  const shown = firstShown(sheets);
  const filters: string[] = [];
  for (const [index, sheet] of sheets.entries()) {
    const name = names[index] ?? '';
    const width = countColumns(sheet);
    const hidden = sheet.hidden === true && index !== shown;
    yield startTag('table:table', tableAttributes(sheet, name, hidden, pages[index], context));
    yield columnsXml(sheet, width, context);
    yield* rowsXml(sheet, width, context);
    yield '</table:table>';
    filters.push(filterXml(sheet, name, index, width));
  }
  const ranges = filters.join('');
  if (ranges) yield element('table:database-ranges', {}, ranges);
}

/** The first sheet that is not hidden; the first of all where all are. */
function firstShown(sheets: readonly Sheet[]): number {
  return Math.max(
    0,
    sheets.findIndex(({ hidden }) => !hidden),
  );
}

function tableAttributes(
  { tab_color, print }: Sheet,
  name: string,
  hidden: boolean,
  page: MasterPage | undefined,
  { styles }: SheetContext,
) {
  const look = { 'table:display': hidden ? 'false' : 'true', 'table:tab-color': tab_color };
  return {
    'table:name': name,
    'table:style-name': styles.style('table', properties('table', look), { 'style:master-page-name': page?.name }),
    'table:print-ranges': print?.area && rangeAddress(name, parseRange(print.area)),
  };
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
