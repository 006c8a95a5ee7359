import {
  type Family,
  FLAT,
  type FlatFormat,
  type Generation,
  getContentType,
  getFamily,
  getRoom,
  type ImageFormat,
  isOoxml,
  type Room,
  type SourceFormat,
  type TargetFormat,
} from '../formats.ts';
import type { EngineOutput, EngineTask, OutputOptions } from './task.ts';

type Keywords = 'list' | 'commas' | 'words';

/** A UNO property value as it travels to the worker; a record becomes a sequence of property values. */
export type PropertyValue = string | number | boolean | Properties;
export interface Properties {
  [name: string]: PropertyValue;
}

/** A task in the terms of LibreOffice. */
export interface Conversion {
  load: Properties;
  /** The service that the loaded document must support, or it is of another family. */
  service: string;
  /** The source is protected: with the password given, or with one that LibreOffice knows. */
  isProtected: boolean;
  /** The source is a package whose parts can be checked (parts.py). */
  isPackage: boolean;
  /** In the order of the task's. */
  outputs: Store[];
  /** The things that the worker counts in the document. The pages of a PDF are counted in the file. */
  count: 'pages' | 'sheets' | 'slides' | 'none';
  /** Lays pages out before the document is stored: fields are stored as they are, page numbers as 0 before that. */
  layOut: boolean;
  /** Formulas without a result that nothing asks for before the document is stored are stored as 0. */
  calculate: boolean;
  /** Makes columns as wide as their content: text of csv would be cut off where it is too long. */
  fitColumns: boolean;
  /** LibreOffice reads the keywords of the source as they are, or parts them at `commas` or at all spaces (keywords.py). */
  keywords: Keywords;
  /** The room that all targets have. */
  room: Room | null;
}

/** The settings with which one output is stored. */
export interface Store {
  store: Properties;
  /**
   * Puts an empty paragraph behind the text first: LibreOffice 25.2 never ends the export of plain text
   * whose last element is a table. It is one line feed more in the result.
   */
  endParagraph: boolean;
  /** The target has its keywords as a list, or all in one text (keywords.py). */
  keywords: 'list' | 'text';
  /**
   * Allows to store it without its videos: LibreOffice cannot write the picture that stands for one into a flat
   * file, and then writes no file at all.
   */
  withoutVideos: boolean;
  /** The picture to be drawn of the PDF that `store` makes (picture.py). */
  picture: Picture | null;
}

export interface Picture {
  format: ImageFormat;
  /** The size of the box that it must fit in. */
  width: number;
  height: number;
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

/** Its PDF filter, the service that a document of it supports, and what is counted in one. */
const FAMILIES: Record<Family, { pdf: string; service: string; count: Conversion['count'] }> = {
  text: { pdf: 'writer_pdf_Export', service: 'com.sun.star.text.TextDocument', count: 'pages' },
  sheet: { pdf: 'calc_pdf_Export', service: 'com.sun.star.sheet.SpreadsheetDocument', count: 'sheets' },
  slides: { pdf: 'impress_pdf_Export', service: 'com.sun.star.presentation.PresentationDocument', count: 'slides' },
};

/** Filters of binary documents older than Office 97. */
const OLD_FILTERS: Record<Generation, string> = {
  word_2: 'MS WinWord 5',
  word_6: 'MS WinWord 6.0',
  excel_4: 'MS Excel 4.0',
  excel_5: 'MS Excel 5.0/95',
  powerpoint_4: 'PowerPoint 3',
};

/** Formats that are packages, beside those of OOXML. */
const OPEN_DOCUMENT: readonly SourceFormat[] = ['odt', 'ott', 'ods', 'ots', 'odp', 'otp'];

/** Formats that nobody edits any more: view settings would be lost on them. */
const READ_ONLY: readonly (TargetFormat | FlatFormat)[] = ['pdf', 'csv', 'fodt', 'fods', 'fodp'];

const NEVER_EXECUTE_MACROS = 0;
const NO_UPDATE_OF_LINKS = 0;
const UTF_8 = 76;
const DOUBLE_QUOTE = 34;
const JPEG_QUALITY = 90;

/**
 * The import and export filters and properties of a task. Nothing is left to type detection but what is in an encrypted
 * package of OOXML: the filter of another family would make an empty document of it.
 */
export function toConversion(task: EngineTask): Conversion {
  const family = getFamily(task.from);
  const fitColumns = task.from === 'csv' && task.outputs.some(({ to }) => to !== 'csv' && to !== FLAT.sheet);
  const { encrypted = false, generation } = task.source;
  const isDetected = encrypted && isOoxml(task.from);
  // A package is not protected, and LibreOffice 25.2 opens none with a password that it does not need.
  const password = isOoxml(task.from) && !encrypted ? undefined : task.source.password;
  const edited = task.outputs.filter((output) => !('image' in output) && !READ_ONLY.includes(output.to));
  return {
    load: {
      ...(!isDetected && { FilterName: generation ? OLD_FILTERS[generation] : FILTERS[task.from] }),
      // A hidden spreadsheet loses its view settings, such as frozen panes; to show it takes a little longer.
      Hidden: family !== 'sheet' || task.from === 'csv' || edited.length === 0,
      // A document made from a template may be changed, and its file is only read.
      ...(fitColumns && { AsTemplate: true }),
      MacroExecutionMode: NEVER_EXECUTE_MACROS,
      UpdateDocMode: NO_UPDATE_OF_LINKS,
      ...importOptions(task),
      ...(password !== undefined && { Password: password }),
    },
    service: FAMILIES[family].service,
    isProtected: encrypted || password !== undefined,
    isPackage: !encrypted && (isOoxml(task.from) || OPEN_DOCUMENT.includes(task.from)),
    outputs: task.outputs.map((output) => toStore(family, output)),
    count: task.outputs.every(isCountedByItself) ? 'none' : FAMILIES[family].count,
    layOut: task.outputs.some(({ to }) => to === FLAT.text),
    calculate: family === 'sheet' && task.calculate === true,
    fitColumns,
    keywords: getKeywords(task.from),
    room: getRoom(task.outputs.map(({ to }) => to)),
  };
}

/** Only OpenDocument has keywords as a list. */
function getKeywords(format: SourceFormat): Keywords {
  if (getContentType(format).startsWith('application/vnd.oasis.')) return 'list';
  return FILTERS[format].endsWith('2007 XML') ? 'words' : 'commas';
}

/** Returns whether the pages of an output are known without the document: a picture has one, a PDF is counted itself. */
function isCountedByItself(output: EngineOutput): boolean {
  return 'image' in output || output.to === 'pdf';
}

function toStore(family: Family, output: EngineOutput): Store {
  if ('image' in output) {
    const { page, width, height } = output.image;
    const store = { FilterName: FAMILIES[family].pdf, Overwrite: false, FilterData: pageOptions(page) };
    const picture = { format: output.to, width, height };
    return { store, endParagraph: false, keywords: 'text', withoutVideos: false, picture };
  }
  const filter = output.to === 'pdf' ? FAMILIES[family].pdf : FILTERS[output.to];
  return {
    store: { FilterName: filter, Overwrite: false, ...exportOptions(output.to, output.options) },
    endParagraph: output.to === 'txt',
    keywords: output.to !== 'pdf' && getKeywords(output.to) === 'list' ? 'list' : 'text',
    withoutVideos: output.to === FLAT[family],
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
  switch (to) {
    case 'pdf':
      return { FilterData: pdfOptions(options) };
    case 'txt':
      return { FilterOptions: 'UTF8,LF,,,false' };
    case 'csv':
      // Cells as they are shown, not their formulas; the first sheet only.
      return { FilterOptions: csvOptions(options.delimiter, ['false', 'true', 'true', 'false', 'false', '0']) };
    default:
      return {};
  }
}

/** The comma list of LibreOffice's csv filter: separator, quote, character set, first line, formats, language, … */
function csvOptions(delimiter: string | undefined, rest: string[]): string {
  const separator = (delimiter ?? ',').codePointAt(0);
  return [separator, DOUBLE_QUOTE, UTF_8, 1, '', 0, ...rest].join(',');
}

/**
 * Settings as those of LibreOffice's own command, which differ from the defaults of its filter. There are no tags, which
 * make 8 MB of a text of 0.6 MB and take four times as long for a sheet of 477 pages; LibreOffice always tags PDF/A.
 */
function pdfOptions(options: OutputOptions): Properties {
  return {
    ExportBookmarks: true,
    ExportNotes: false,
    ExportLinksRelativeFsys: true,
    Quality: JPEG_QUALITY,
    ...(options.pdfa ? { SelectPdfVersion: 2 } : {}),
    ...(options.pages === undefined ? {} : { PageRange: options.pages }),
    ...(options.imageResolution === undefined
      ? {}
      : { ReduceImageResolution: true, MaxImageResolution: options.imageResolution }),
  };
}

/** A PDF of one page, for its picture only. A slide that is not shown counts as well: it has a place and a number. */
function pageOptions(page: number): Properties {
  return {
    PageRange: String(page),
    ExportBookmarks: false,
    ExportFormFields: false,
    ExportHiddenSlides: true,
  };
}
