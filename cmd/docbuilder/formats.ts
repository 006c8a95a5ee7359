/** The conversion matrix (contract: POST /v1/convert converts within one document family only). */
export type Family = 'text' | 'sheet' | 'slides';

interface Format {
  readonly family: Family;
  readonly contentType: string;
  /** Results can have this format; sources can have each. */
  readonly output: boolean;
}

const OOXML = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';

function read<F extends Family>(family: F, contentType: string) {
  return { family, contentType, output: false } as const;
}

function written<F extends Family>(family: F, contentType: string) {
  return { family, contentType, output: true } as const;
}

const FORMATS = {
  docx: written('text', `${OOXML}.wordprocessingml.document`),
  docm: read('text', 'application/vnd.ms-word.document.macroEnabled.12'),
  dotx: read('text', `${OOXML}.wordprocessingml.template`),
  dotm: read('text', 'application/vnd.ms-word.template.macroEnabled.12'),
  doc: written('text', 'application/msword'),
  odt: written('text', `${ODF}.text`),
  ott: read('text', `${ODF}.text-template`),
  fodt: read('text', `${ODF}.text-flat-xml`),
  rtf: written('text', 'application/rtf'),
  txt: written('text', 'text/plain; charset=utf-8'),

  xlsx: written('sheet', `${OOXML}.spreadsheetml.sheet`),
  xlsm: read('sheet', 'application/vnd.ms-excel.sheet.macroEnabled.12'),
  xltx: read('sheet', `${OOXML}.spreadsheetml.template`),
  xltm: read('sheet', 'application/vnd.ms-excel.template.macroEnabled.12'),
  xls: written('sheet', 'application/vnd.ms-excel'),
  ods: written('sheet', `${ODF}.spreadsheet`),
  ots: read('sheet', `${ODF}.spreadsheet-template`),
  fods: read('sheet', `${ODF}.spreadsheet-flat-xml`),
  csv: written('sheet', 'text/csv'),

  pptx: written('slides', `${OOXML}.presentationml.presentation`),
  pptm: read('slides', 'application/vnd.ms-powerpoint.presentation.macroEnabled.12'),
  ppsx: read('slides', `${OOXML}.presentationml.slideshow`),
  ppsm: read('slides', 'application/vnd.ms-powerpoint.slideshow.macroEnabled.12'),
  potx: read('slides', `${OOXML}.presentationml.template`),
  potm: read('slides', 'application/vnd.ms-powerpoint.template.macroEnabled.12'),
  ppt: written('slides', 'application/vnd.ms-powerpoint'),
  odp: written('slides', `${ODF}.presentation`),
  otp: read('slides', `${ODF}.presentation-template`),
  fodp: read('slides', `${ODF}.presentation-flat-xml`),
} as const satisfies Record<string, Format>;

/** Size of a sheet, in LibreOffice as in Excel. */
export const SHEET = { rows: 1_048_576, columns: 16_384 } as const;

/** UTF-16 units of text in a cell of either Excel format. */
const EXCEL_CELL_LETTERS = 32_767;

/** Limits of a target format that are below LibreOffice's, which drops the excess. */
export interface Room {
  rows: number;
  columns: number;
  /** UTF-16 units in a cell. */
  letters: number;
}

export const XLS_ROOM: Room = { rows: 65_536, columns: 256, letters: EXCEL_CELL_LETTERS };
const XLSX_ROOM: Room = { ...SHEET, letters: EXCEL_CELL_LETTERS };

/** Returns the limits that hold for all targets. */
export function getRoom(targets: readonly string[]): Room | null {
  if (targets.includes('xls')) return XLS_ROOM;
  return targets.includes('xlsx') ? XLSX_ROOM : null;
}

export type SourceFormat = keyof typeof FORMATS;
export type DocumentFormat = {
  [Name in SourceFormat]: (typeof FORMATS)[Name]['output'] extends true ? Name : never;
}[SourceFormat];
/** The whole document in one XML file, for extraction; no target of a request. */
export const FLAT = { text: 'fodt', sheet: 'fods', slides: 'fodp' } as const satisfies Record<Family, SourceFormat>;
export type FlatFormat = (typeof FLAT)[Family];
export type TargetFormat = DocumentFormat | 'pdf';
/** Formats of a picture of a page. */
export const IMAGE_FORMATS = ['png', 'jpeg', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];
/** A format of a result file. */
export type ResultFormat = TargetFormat | ImageFormat | 'json';

export const SOURCE_FORMATS = Object.keys(FORMATS) as SourceFormat[];
const TARGET_FORMATS: readonly TargetFormat[] = ['pdf', ...SOURCE_FORMATS.filter(isDocumentFormat)];

/** Binary formats older than Office 97: up to Word 2; Word 6 and 95; up to Excel 4; Excel 5 and 95; PowerPoint 4 and 95. */
export type Generation = 'word_2' | 'word_6' | 'excel_4' | 'excel_5' | 'powerpoint_4';

/** Returns whether a format is a package of Office Open XML. */
export function isOoxml(format: SourceFormat): boolean {
  return /[xm]$/.test(format);
}

/** @param name in lower case */
export function isSourceFormat(name: string): name is SourceFormat {
  return Object.hasOwn(FORMATS, name);
}

function isDocumentFormat(name: SourceFormat): name is DocumentFormat {
  return FORMATS[name].output;
}

/** @param name in lower case */
export function isTargetFormat(name: string): name is TargetFormat {
  return (TARGET_FORMATS as readonly string[]).includes(name);
}

export function getFamily(source: SourceFormat): Family {
  return FORMATS[source].family;
}

/** Returns the targets of a source: its family's writable formats and PDF. */
export function getTargets(source: SourceFormat): TargetFormat[] {
  return TARGET_FORMATS.filter((target) => target === 'pdf' || FORMATS[target].family === getFamily(source));
}

export function canConvert(source: SourceFormat, target: TargetFormat): boolean {
  return getTargets(source).includes(target);
}

const OTHER_CONTENT_TYPES: Record<Exclude<ResultFormat, SourceFormat>, string> = {
  pdf: 'application/pdf',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};

/** @param encoding chosen for the text */
export function getContentType(format: SourceFormat | ResultFormat, encoding?: Encoding): string {
  const type = isSourceFormat(format) ? FORMATS[format].contentType : OTHER_CONTENT_TYPES[format];
  // UTF-16 has a byte order mark, which the names with an order exclude (RFC 2781, 3.3).
  return encoding ? `${type.split(';')[0]}; charset=${encoding.replace(/^utf-16.e$/, 'utf-16')}` : type;
}

/** Character sets of text and csv files, as source and as target. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1258' | 'windows-1252';

/** Further character sets of sources. */
export const FOREIGN_ENCODINGS = [
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'big5',
  'gb18030',
  'koi8-r',
  'windows-1251',
] as const;
export type SourceEncoding = Encoding | (typeof FOREIGN_ENCODINGS)[number];
