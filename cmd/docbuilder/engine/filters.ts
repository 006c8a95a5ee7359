import {
  type Family,
  FLAT,
  type FlatFormat,
  type Generation,
  getContentType,
  getFamily,
  getRoom,
  isOoxml,
  type SourceFormat,
  type TargetFormat,
} from '../formats.ts';
import type { EngineOutput, EngineTask, OutputOptions } from './task.ts';

/** UNO property values; an object becomes a sequence of property values, which job.py converts. */
interface Properties {
  [name: string]: string | number | boolean | Properties;
}

/** LibreOffice's filters, each with the formats that it reads and writes. */
const FORMATS: Record<string, readonly SourceFormat[]> = {
  'MS Word 2007 XML': ['docx', 'docm', 'dotx', 'dotm'],
  'MS Word 97': ['doc'],
  writer8: ['odt', 'ott'],
  'OpenDocument Text Flat XML': ['fodt'],
  'Rich Text Format': ['rtf'],
  'Text (encoded)': ['txt'],
  'Calc MS Excel 2007 XML': ['xlsx', 'xlsm', 'xltx', 'xltm'],
  'MS Excel 97': ['xls'],
  calc8: ['ods', 'ots'],
  'OpenDocument Spreadsheet Flat XML': ['fods'],
  'Text - txt - csv (StarCalc)': ['csv'],
  'Impress MS PowerPoint 2007 XML': ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
  'MS PowerPoint 97': ['ppt'],
  impress8: ['odp', 'otp'],
  'OpenDocument Presentation Flat XML': ['fodp'],
};
const FILTERS = Object.fromEntries(
  Object.entries(FORMATS).flatMap(([filter, formats]) => formats.map((format) => [format, filter])),
) as Record<SourceFormat, string>;

/** The PDF filter, UNO service and unit of a family. */
const FAMILIES: Record<Family, { pdf: string; service: string; count: 'pages' | 'sheets' | 'slides' }> = {
  text: { pdf: 'writer_pdf_Export', service: 'com.sun.star.text.TextDocument', count: 'pages' },
  sheet: { pdf: 'calc_pdf_Export', service: 'com.sun.star.sheet.SpreadsheetDocument', count: 'sheets' },
  slides: { pdf: 'impress_pdf_Export', service: 'com.sun.star.presentation.PresentationDocument', count: 'slides' },
};

const OLD_FILTERS: Record<Generation, string> = {
  word_2: 'MS WinWord 5',
  word_6: 'MS WinWord 6.0',
  excel_4: 'MS Excel 4.0',
  excel_5: 'MS Excel 5.0/95',
  powerpoint_4: 'PowerPoint 3',
};

const OPEN_DOCUMENT: readonly SourceFormat[] = ['odt', 'ott', 'ods', 'ots', 'odp', 'otp'];

/** Formats without view settings. */
const READ_ONLY: readonly (TargetFormat | FlatFormat)[] = ['pdf', 'csv', 'fodt', 'fods', 'fodp'];

const NEVER_EXECUTE_MACROS = 0;
const NO_UPDATE_OF_LINKS = 0;
const UTF_8 = 76;
const DOUBLE_QUOTE = 34;
const JPEG_QUALITY = 90;

/**
 * Returns a task in LibreOffice's terms, as job.py reads it. Type detection is used for encrypted OOXML packages only:
 * the filter of another family makes an empty document of one.
 */
export function toConversion(task: EngineTask) {
  const family = getFamily(task.from);
  const fitColumns = task.from === 'csv' && task.outputs.some(({ to }) => to !== 'csv' && to !== FLAT.sheet);
  const { encrypted = false, generation } = task.source;
  const isDetected = encrypted && isOoxml(task.from);
  // LibreOffice 25.2 opens no OOXML package with a password that it does not need.
  const password = isOoxml(task.from) && !encrypted ? undefined : task.source.password;
  const edited = task.outputs.filter((output) => !('image' in output) && !READ_ONLY.includes(output.to));
  const load: Properties = {
    ...(!isDetected && { FilterName: generation ? OLD_FILTERS[generation] : FILTERS[task.from] }),
    // A hidden spreadsheet loses its view settings, such as frozen panes; showing it takes a little longer.
    Hidden: family !== 'sheet' || task.from === 'csv' || edited.length === 0,
    // The worker cannot write the source, so the document would be read-only; one made from a template is not.
    ...(fitColumns && { AsTemplate: true }),
    MacroExecutionMode: NEVER_EXECUTE_MACROS,
    UpdateDocMode: NO_UPDATE_OF_LINKS,
    ...importOptions(task),
    ...(password !== undefined && { Password: password }),
  };
  return {
    load,
    /** The UNO service of the family; a document without it is of another family. */
    service: FAMILIES[family].service,
    isProtected: encrypted || password !== undefined,
    /** parts.py can check the parts. */
    isPackage: !encrypted && (isOoxml(task.from) || OPEN_DOCUMENT.includes(task.from)),
    outputs: task.outputs.map((output) => toStore(family, output)),
    /** job.py counts these; the pages of a PDF are counted in the file. */
    count: task.outputs.every((output) => 'image' in output || output.to === 'pdf') ? 'none' : FAMILIES[family].count,
    /** Page numbers are stored as 0 before pages have been laid out. */
    layOut: task.outputs.some(({ to }) => to === FLAT.text),
    /** Formulas that nothing has calculated are stored as 0. */
    calculate: family === 'sheet' && task.calculate === true,
    /** Text of csv would be cut off where it is wider than its column. */
    fitColumns,
    keywords: getKeywords(task.from),
    room: getRoom(task.outputs.map(({ to }) => to)),
  };
}

/** Returns how LibreOffice reads the keywords of a format: as they are, or split at commas or at all spaces (keywords.py). */
function getKeywords(format: SourceFormat): 'list' | 'commas' | 'words' {
  if (getContentType(format).startsWith('application/vnd.oasis.')) return 'list';
  return FILTERS[format].endsWith('2007 XML') ? 'words' : 'commas';
}

/** Returns the settings with which one output is stored. */
function toStore(family: Family, output: EngineOutput) {
  if ('image' in output) {
    const { page, width, height } = output.image;
    const store = { FilterName: FAMILIES[family].pdf, Overwrite: false, FilterData: pageOptions(page) };
    const picture = { format: output.to, width, height };
    return { store, endParagraph: false, keywords: 'text', withoutVideos: false, picture };
  }
  const filter = output.to === 'pdf' ? FAMILIES[family].pdf : FILTERS[output.to];
  return {
    store: { FilterName: filter, Overwrite: false, ...exportOptions(output.to, output.options) },
    /** LibreOffice 25.2 never ends the export of plain text whose last element is a table; a paragraph is added. */
    endParagraph: output.to === 'txt',
    keywords: output.to !== 'pdf' && getKeywords(output.to) === 'list' ? 'list' : 'text',
    /** LibreOffice writes no flat file of a document that has a video with a preview picture. */
    withoutVideos: output.to === FLAT[family],
    /** The picture that picture.py draws of the PDF. */
    picture: null,
  };
}

function importOptions({ from, source }: EngineTask): Properties {
  if (from === 'txt') return { FilterOptions: 'UTF8' };
  if (from !== 'csv') return {};
  // Quoted fields stay text, dates and other special numbers are not guessed, formulas are not evaluated.
  return { FilterOptions: csvOptions(source.delimiter, ['true', 'false', 'false', 'false', 'false', '0', 'false']) };
}

function exportOptions(to: TargetFormat | FlatFormat, options: OutputOptions): Properties {
  if (to === 'pdf') return { FilterData: pdfOptions(options) };
  if (to === 'txt') return { FilterOptions: 'UTF8,LF,,,false' };
  if (to !== 'csv') return {};
  // Cells as shown, not their formulas; the first sheet only.
  return { FilterOptions: csvOptions(options.delimiter, ['false', 'true', 'true', 'false', 'false', '0']) };
}

/** Returns the option list of LibreOffice's csv filter: separator, quote, character set, first line, formats, language, … */
function csvOptions(delimiter: string | undefined, rest: string[]): string {
  const separator = (delimiter ?? ',').codePointAt(0);
  return [separator, DOUBLE_QUOTE, UTF_8, 1, '', 0, ...rest].join(',');
}

/** Returns the settings of `soffice --convert-to pdf`, without tags (docs/decisions/0003-engine.md). */
function pdfOptions({ pdfa, pages, image_resolution: resolution }: OutputOptions): Properties {
  return {
    ExportBookmarks: true,
    ExportNotes: false,
    ExportLinksRelativeFsys: true,
    Quality: JPEG_QUALITY,
    ...(pdfa && { SelectPdfVersion: 2 }),
    ...(pages !== undefined && { PageRange: pages }),
    ...(resolution !== undefined && { ReduceImageResolution: true, MaxImageResolution: resolution }),
  };
}

/** Returns the settings of a PDF of one page, for its picture. Hidden slides have a number and count. */
function pageOptions(page: number): Properties {
  return { PageRange: String(page), ExportBookmarks: false, ExportFormFields: false, ExportHiddenSlides: true };
}
