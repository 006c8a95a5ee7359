import type { ImageFormat } from './ports.ts';

/**
 * The conversion matrix as data (contract: POST /v1/convert converts within one document family only).
 * What stands here is what the sniffer may answer, what the engine must have a filter for, and what
 * `GET /v1/formats` shows.
 */
export type Family = 'text' | 'sheet' | 'slides';

interface Format {
  readonly family: Family;
  readonly contentType: string;
  /** Whether a source may have this format. */
  readonly input: boolean;
  /** Whether a target may have it. */
  readonly output: boolean;
}

const OOXML = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';

function format(family: Family, contentType: string, direction: 'in' | 'both'): Format {
  return { family, contentType, input: true, output: direction === 'both' };
}

const FORMATS = {
  docx: format('text', `${OOXML}.wordprocessingml.document`, 'both'),
  docm: format('text', 'application/vnd.ms-word.document.macroEnabled.12', 'in'),
  dotx: format('text', `${OOXML}.wordprocessingml.template`, 'in'),
  dotm: format('text', 'application/vnd.ms-word.template.macroEnabled.12', 'in'),
  doc: format('text', 'application/msword', 'both'),
  odt: format('text', `${ODF}.text`, 'both'),
  ott: format('text', `${ODF}.text-template`, 'in'),
  fodt: format('text', `${ODF}.text-flat-xml`, 'in'),
  rtf: format('text', 'application/rtf', 'both'),
  txt: format('text', 'text/plain; charset=utf-8', 'both'),

  xlsx: format('sheet', `${OOXML}.spreadsheetml.sheet`, 'both'),
  xlsm: format('sheet', 'application/vnd.ms-excel.sheet.macroEnabled.12', 'in'),
  xltx: format('sheet', `${OOXML}.spreadsheetml.template`, 'in'),
  xltm: format('sheet', 'application/vnd.ms-excel.template.macroEnabled.12', 'in'),
  xls: format('sheet', 'application/vnd.ms-excel', 'both'),
  ods: format('sheet', `${ODF}.spreadsheet`, 'both'),
  ots: format('sheet', `${ODF}.spreadsheet-template`, 'in'),
  fods: format('sheet', `${ODF}.spreadsheet-flat-xml`, 'in'),
  csv: format('sheet', 'text/csv', 'both'),

  pptx: format('slides', `${OOXML}.presentationml.presentation`, 'both'),
  pptm: format('slides', 'application/vnd.ms-powerpoint.presentation.macroEnabled.12', 'in'),
  ppsx: format('slides', `${OOXML}.presentationml.slideshow`, 'in'),
  ppsm: format('slides', 'application/vnd.ms-powerpoint.slideshow.macroEnabled.12', 'in'),
  potx: format('slides', `${OOXML}.presentationml.template`, 'in'),
  potm: format('slides', 'application/vnd.ms-powerpoint.template.macroEnabled.12', 'in'),
  ppt: format('slides', 'application/vnd.ms-powerpoint', 'both'),
  odp: format('slides', `${ODF}.presentation`, 'both'),
  otp: format('slides', `${ODF}.presentation-template`, 'in'),
  fodp: format('slides', `${ODF}.presentation-flat-xml`, 'in'),
} as const satisfies Record<string, Format>;

/** A format that a source can have. */
export type SourceFormat = keyof typeof FORMATS;
/** A format that a result can have: every family also becomes a PDF. */
export type TargetFormat = SourceFormat | 'pdf';
/** A format that a result file can have: pictures and what is read of a document as well. */
export type ResultFormat = TargetFormat | ImageFormat | 'json';

export const SOURCE_FORMATS = Object.keys(FORMATS) as SourceFormat[];
export const TARGET_FORMATS = [
  'pdf',
  ...SOURCE_FORMATS.filter((name) => FORMATS[name].output),
] as readonly TargetFormat[];

export function isSourceFormat(name: string): name is SourceFormat {
  return Object.hasOwn(FORMATS, name);
}

export function isTargetFormat(name: string): name is TargetFormat {
  return (TARGET_FORMATS as readonly string[]).includes(name);
}

export function familyOf(source: SourceFormat): Family {
  return FORMATS[source].family;
}

/** The targets that a source can become: its family's writable formats and PDF. */
export function targetsOf(source: SourceFormat): TargetFormat[] {
  return TARGET_FORMATS.filter((target) => target === 'pdf' || FORMATS[target].family === familyOf(source));
}

export function canConvert(source: SourceFormat, target: TargetFormat): boolean {
  return targetsOf(source).includes(target);
}

const OTHER_CONTENT_TYPES: Record<Exclude<ResultFormat, SourceFormat>, string> = {
  pdf: 'application/pdf',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};

export function contentTypeOf(format: ResultFormat): string {
  return isSourceFormat(format) ? FORMATS[format].contentType : OTHER_CONTENT_TYPES[format];
}
