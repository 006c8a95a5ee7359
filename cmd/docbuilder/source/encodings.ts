/** Character sets that text and csv files are read and written in. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1258' | 'windows-1252';

/** Character sets that text and csv files are only read in. */
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
