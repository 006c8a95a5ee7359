import { type Family, familyOf, type SourceFormat, type TargetFormat } from '../domain/formats.ts';
import type { ConvertTask } from '../domain/ports.ts';

/** A UNO property value as it travels to the worker; a record becomes a sequence of property values. */
export type PropertyValue = string | number | boolean | Properties;
export interface Properties {
  [name: string]: PropertyValue;
}

/** What a task means to LibreOffice. */
export interface Conversion {
  load: Properties;
  store: Properties;
  /** What the worker counts in the document; the pages of a PDF are counted in the file. */
  count: 'pages' | 'sheets' | 'slides' | 'none';
  /**
   * Whether an empty paragraph must be put behind the text first: LibreOffice 25.2 never ends the export of plain text
   * whose last element is a table. It is one line feed more in the result.
   */
  endParagraph: boolean;
}

const IMPORT_FILTERS: Record<SourceFormat, string> = {
  docx: 'MS Word 2007 XML',
  docm: 'MS Word 2007 XML',
  dotx: 'MS Word 2007 XML',
  dotm: 'MS Word 2007 XML',
  doc: 'MS Word 97',
  odt: 'writer8',
  ott: 'writer8_template',
  fodt: 'OpenDocument Text Flat XML',
  rtf: 'Rich Text Format',
  txt: 'Text (encoded)',
  xlsx: 'Calc MS Excel 2007 XML',
  xlsm: 'Calc MS Excel 2007 XML',
  xltx: 'Calc MS Excel 2007 XML',
  xltm: 'Calc MS Excel 2007 XML',
  xls: 'MS Excel 97',
  ods: 'calc8',
  ots: 'calc8_template',
  fods: 'OpenDocument Spreadsheet Flat XML',
  csv: 'Text - txt - csv (StarCalc)',
  pptx: 'Impress MS PowerPoint 2007 XML',
  pptm: 'Impress MS PowerPoint 2007 XML',
  ppsx: 'Impress MS PowerPoint 2007 XML',
  ppsm: 'Impress MS PowerPoint 2007 XML',
  potx: 'Impress MS PowerPoint 2007 XML',
  potm: 'Impress MS PowerPoint 2007 XML',
  ppt: 'MS PowerPoint 97',
  odp: 'impress8',
  otp: 'impress8_template',
  fodp: 'OpenDocument Presentation Flat XML',
};

const EXPORT_FILTERS: Record<Family, Partial<Record<TargetFormat, string>>> = {
  text: {
    pdf: 'writer_pdf_Export',
    docx: 'MS Word 2007 XML',
    doc: 'MS Word 97',
    odt: 'writer8',
    rtf: 'Rich Text Format',
    txt: 'Text (encoded)',
  },
  sheet: {
    pdf: 'calc_pdf_Export',
    xlsx: 'Calc MS Excel 2007 XML',
    xls: 'MS Excel 97',
    ods: 'calc8',
    csv: 'Text - txt - csv (StarCalc)',
  },
  slides: {
    pdf: 'impress_pdf_Export',
    pptx: 'Impress MS PowerPoint 2007 XML',
    ppt: 'MS PowerPoint 97',
    odp: 'impress8',
  },
};

const COUNTED: Record<Family, Conversion['count']> = { text: 'pages', sheet: 'sheets', slides: 'slides' };

const NEVER_EXECUTE_MACROS = 0;
const NO_UPDATE_OF_LINKS = 0;
const UTF_8 = 76;
const DOUBLE_QUOTE = 34;

/**
 * The import and export filters and properties of a task. Nothing is left to type detection.
 * @param sheetViews whether this LibreOffice can show spreadsheets (office.ts)
 */
export function conversionOf(task: ConvertTask, sheetViews: boolean): Conversion {
  const family = familyOf(task.from);
  const filter = EXPORT_FILTERS[family][task.to];
  if (filter === undefined) throw new TypeError(`no filter from ${task.from} to ${task.to}`);
  const toText = task.to === 'txt';
  return {
    load: {
      FilterName: IMPORT_FILTERS[task.from],
      // A hidden spreadsheet loses its view settings, such as frozen panes.
      Hidden: !(sheetViews && family === 'sheet' && task.from !== 'csv' && task.to !== 'pdf' && task.to !== 'csv'),
      ReadOnly: true,
      MacroExecutionMode: NEVER_EXECUTE_MACROS,
      UpdateDocMode: NO_UPDATE_OF_LINKS,
      ...importOptions(task),
      ...(task.options.password === undefined ? {} : { Password: task.options.password }),
    },
    store: { FilterName: filter, Overwrite: false, ...exportOptions(task) },
    count: task.to === 'pdf' ? 'none' : COUNTED[family],
    endParagraph: toText,
  };
}

function importOptions(task: ConvertTask): Properties {
  if (task.from === 'txt') return { FilterOptions: 'UTF8' };
  if (task.from !== 'csv') return {};
  // Quoted fields stay text, dates and other special numbers are not guessed, formulas are not evaluated.
  return {
    FilterOptions: csvOptions(task.options.delimiter, ['true', 'false', 'false', 'false', 'false', '0', 'false']),
  };
}

function exportOptions(task: ConvertTask): Properties {
  switch (task.to) {
    case 'pdf':
      return { FilterData: pdfOptions(task) };
    case 'txt':
      return { FilterOptions: 'UTF8,LF,,,false' };
    case 'csv': {
      // Cells as they are shown, not their formulas; the first sheet only.
      const delimiter = task.from === 'csv' ? undefined : task.options.delimiter;
      return { FilterOptions: csvOptions(delimiter, ['false', 'true', 'true', 'false', 'false', '0']) };
    }
    default:
      return {};
  }
}

/** The comma list of LibreOffice's csv filter: separator, quote, character set, first line, formats, language, … */
function csvOptions(delimiter: string | undefined, rest: string[]): string {
  const separator = (delimiter ?? ',').codePointAt(0);
  return [separator, DOUBLE_QUOTE, UTF_8, 1, '', 0, ...rest].join(',');
}

function pdfOptions({ options }: ConvertTask): Properties {
  return {
    UseTaggedPDF: true,
    ExportBookmarks: true,
    ...(options.pdfa ? { SelectPdfVersion: 2 } : {}),
    ...(options.pages === undefined ? {} : { PageRange: options.pages }),
    ...(options.imageResolution === undefined
      ? {}
      : { ReduceImageResolution: true, MaxImageResolution: options.imageResolution }),
  };
}
