import PizZip from 'pizzip';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OPC = 'http://schemas.openxmlformats.org/package/2006';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const OFFICE_DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
const MAIN_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

const DATE = new Date('2026-01-01T00:00:00Z');
const PARAGRAPHS = [
  'Tài liệu mẫu',
  'Hãy sửa đoạn văn này rồi bấm Lưu: phiên bản mới và callback có chữ ký sẽ hiện ra bên cạnh.',
  'Mở trang này trong một trình duyệt khác để cùng soạn thảo.',
  'Change this paragraph and press Save: the new version and its signed callback appear beside the document.',
  'Open this page in another browser to edit together.',
];

/** Returns the demo's document: a small WordprocessingML package (ECMA-376), the same bytes each time. */
export function sampleDocx(): Buffer {
  const body = PARAGRAPHS.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('');
  const parts = {
    '[Content_Types].xml': `${XML}<Types xmlns="${OPC}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${MAIN_TYPE}"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${OPC}/relationships"><Relationship Id="rId1" Type="${OFFICE_DOCUMENT}" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${XML}<w:document xmlns:w="${WORD}"><w:body>${body}<w:sectPr/></w:body></w:document>`,
  };
  const zip = new PizZip();
  for (const [name, text] of Object.entries(parts)) zip.file(name, text, { date: DATE, createFolders: false });
  return zip.generate({ type: 'nodebuffer' });
}
