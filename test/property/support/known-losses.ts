import type { Save } from '../../../src/common/generated/script.ts';

/** Something declared that a format does not keep. */
export interface Loss {
  formats: readonly Save['format'][];
  /** Of what is reported: the JSON Pointer, a colon, and what is wrong. */
  where: RegExp;
  /** What loses it, and why nothing can be done about it. */
  reason: string;
}

/** Behind the pointer of a cell that may be wider than what the columns beside it leave of a page. */
export const CROWDED = 'in a column that may be wider than its page';

/** All that is declared in a script and may be missing in a file. Each says who loses it. */
export const KNOWN_LOSSES: readonly Loss[] = [
  {
    formats: ['docx', 'pptx'],
    where: /is "(?:[^"\\]|\\.)*_x005F_x/,
    reason: 'LibreOffice writes _x000D_ as _x005F_x000D_, as Excel wants it, in files of Word and PowerPoint as well',
  },
  {
    formats: ['docx', 'xlsx', 'pptx'],
    where: /_x000D_.*(?:_x005F_x000D_|\\r)/s,
    reason: 'LibreOffice escapes _x000D_ in headers, footers and properties, where nobody undoes it, and not in cells',
  },
  {
    formats: ['docx', 'odt'],
    where: /^\/body\/\d+\/header, higher than a page: should be 1, is 0$/,
    reason: 'LibreOffice makes an ordinary row of a header row that no page can hold (tdf#88496)',
  },
  {
    formats: ['xlsx', 'pptx'],
    where: /font: should be "Liberation (?:Mono|Serif|Sans)", is "(?:Courier New|Times New Roman|Arial)"/,
    reason: 'LibreOffice writes the fonts of the Liberation family under the names of their twins from Microsoft',
  },
  {
    formats: ['xlsx'],
    where: /print\/size (?:width|height): should be [\d.]+, is null/,
    reason: 'LibreOffice writes no size of paper that has no number in Excel',
  },
  {
    formats: ['pdf'],
    where: new RegExp(`, ${CROWDED}: the page does not show`),
    reason: 'LibreOffice cuts off what is wider than the room that repeated columns leave',
  },
  {
    formats: ['ods'],
    where: /^\/sheets\/\d+\/rows\/.*should be "(?:[^"\\]|\\.)*?(?:\\n(?:[^"\\]|\\.)*?\\t|\\t(?:[^"\\]|\\.)*?\\n)/s,
    reason: 'LibreOffice 7.4 drops tabs from cells of several lines',
  },
  {
    formats: ['pptx'],
    where: /should be "(?:[^"\\]|\\.)*\\n", is "(?:[^"\\]|\\.)*\\n "$/,
    reason: 'LibreOffice writes a blank behind a line break that ends a paragraph',
  },
  {
    formats: ['pptx'],
    where: /shape, tall: should be "roundRect", is null$/,
    reason: 'LibreOffice draws rounded rectangles that are higher than wide point by point in files of PowerPoint',
  },
];
