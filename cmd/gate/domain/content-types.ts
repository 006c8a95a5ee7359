import type { FileType } from './model.ts';

const OOXML = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';

/** The registered media type of each file type. */
export const CONTENT_TYPES: Readonly<Record<FileType, string>> = {
  docx: `${OOXML}.wordprocessingml.document`,
  doc: 'application/msword',
  odt: `${ODF}.text`,
  rtf: 'application/rtf',
  txt: 'text/plain',
  xlsx: `${OOXML}.spreadsheetml.sheet`,
  xls: 'application/vnd.ms-excel',
  ods: `${ODF}.spreadsheet`,
  csv: 'text/csv',
  pptx: `${OOXML}.presentationml.presentation`,
  ppt: 'application/vnd.ms-powerpoint',
  odp: `${ODF}.presentation`,
};
