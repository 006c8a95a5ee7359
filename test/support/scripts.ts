/** One script of each type that uses nearly all of the language; a base for tests that change or count. */

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const LIST = [
  'một',
  ['hai ', { text: 'nghiêng', italic: true }],
  { text: ['hai ', { text: 'đậm', bold: true }], items: ['a', { text: 'b', ordered: true, items: ['c'] }] },
];
const TABLE = {
  columns: [1, { width: 2, align: 'right' }],
  header: ['Tên', { text: 'Giá', align: 'center', background: '#DDEEFF' }],
  rows: [
    ['Bút', 5000],
    [{ text: 'Thước', bold: true, border: { width: 1, color: '#FF0000' } }, '12.000'],
  ],
  header_style: { bold: true, valign: 'middle' },
};

export const TEXT_SCRIPT = {
  svcscript: 1,
  type: 'text',
  meta: { title: 'Biên bản', subject: 'Họp', author: 'An', keywords: ['a', 'b'], description: 'x', lang: 'vi-VN' },
  save: [{ format: 'docx', filename: 'Biên bản.docx' }],
  page: { size: 'A4', orientation: 'portrait', margins: { top: 20, right: 15, bottom: 20, left: 30 } },
  style: { font: 'Liberation Serif', size: 13, color: '#222222', line_spacing: 120, heading_color: '#003366' },
  header: { left: 'Công ty', right: [{ field: 'title', italic: true }], line: true },
  footer: { center: ['Trang ', { field: 'page' }, ' / ', { field: 'pages' }], right: { field: 'date' } },
  body: [
    { type: 'heading', level: 1, text: 'Biên bản họp' },
    {
      type: 'paragraph',
      text: ['a ', { text: 'b', bold: true, italic: true, underline: true, strike: true, size: 9, script: 'super' }],
      align: 'justify',
      first_line_indent: 10,
      space_after: 3,
      keep_with_next: true,
    },
    { type: 'paragraph', text: { text: 'trang chủ', link: 'https://example.com/a?b=c&d', highlight: '#FFFF00' } },
    { type: 'list', ordered: true, numbering: 'upper_roman', start: 3, items: LIST },
    { type: 'table', ...TABLE, borders: 'horizontal', border: { width: 0.5 } },
    { type: 'image', base64: PIXEL, width: 30, alt: 'một điểm', align: 'center', caption: 'Hình 1' },
    { type: 'page_break' },
    { type: 'horizontal_rule', width: 2, color: '#00AA00' },
    { type: 'heading', level: 6, text: 'Hết', page_break_before: true },
  ],
};

export const SHEET_SCRIPT = {
  svcscript: 1,
  type: 'sheet',
  save: [{ format: 'xlsx' }],
  sheets: [
    {
      name: 'Bảng giá',
      columns: [{ width: 40, bold: true }, { width: 25, format: 'vnd', align: 'right' }, { hidden: true }],
      rows: [
        { cells: ['Tên', 'Giá', 'Ngày'], height: 9, background: '#DDEEFF' },
        ['Bút', 5000, { type: 'date', value: '2026-11-21', format: 'date_iso' }],
        ['Thước', { type: 'currency', value: 12000, currency: 'USD' }, { type: 'time', value: '08:30' }],
        [null, true, { type: 'percentage', value: 0.125 }],
        ['Tổng', { type: 'formula', formula: '=SUM(B2:B3)*1.1', format: 'decimal', border: { width: 1 } }],
      ],
      freeze: { rows: 1, columns: 1 },
      autofilter: true,
      tab_color: '#FF8800',
      print: { orientation: 'landscape', fit_width: 1, repeat_rows: 1, footer: { center: { field: 'page' } } },
    },
    { rows: [[{ type: 'formula', formula: '=IF(\'Bảng giá\'!B5>1,"có","không")' }]], hidden: true },
  ],
};

export const SLIDES_SCRIPT = {
  svcscript: 1,
  type: 'slides',
  save: [{ format: 'pptx' }],
  slide_size: '16:9',
  slide_style: { font: 'Carlito', accent: '#AA0000', footer: 'Công ty', slide_numbers: true },
  slides: [
    { layout: 'title', title: 'Kế hoạch', subtitle: '2027', notes: 'chào' },
    { layout: 'content', title: ['Việc ', { text: 'gấp', bold: true }], content: LIST, background: '#FFFFEE' },
    { layout: 'two_columns', title: 'So sánh', left: LIST, right: 'chữ' },
    { layout: 'section', title: 'Phần hai' },
    {
      layout: 'blank',
      elements: [
        { type: 'text', x: 10, y: 10, width: 80, height: 20, text: 'a', size: 20, background: '#EEEEEE' },
        { type: 'bullets', x: 10, y: 40, width: 80, height: 60, items: LIST, ordered: true },
        { type: 'table', x: 100, y: 10, width: 120, height: 40, ...TABLE, size: 14 },
        { type: 'image', x: 100, y: 80, width: 30, base64: PIXEL, alt: 'điểm' },
        { type: 'shape', shape: 'arrow', x: 10, y: 120, width: 50, height: 0, border: { width: 2 } },
        { type: 'shape', shape: 'ellipse', x: 80, y: 110, width: 50, height: 30, background: '#00AA88', text: 'b' },
      ],
    },
  ],
};
