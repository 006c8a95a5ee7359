import { crc32 } from 'node:zlib';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OPC = 'http://schemas.openxmlformats.org/package/2006';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const OFFICE_DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
const MAIN_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

const PARAGRAPHS = [
  'Tài liệu mẫu',
  'Hãy sửa đoạn văn này rồi bấm Lưu: phiên bản mới và callback có chữ ký sẽ hiện ra bên cạnh.',
  'Mở trang này trong một trình duyệt khác để cùng soạn thảo.',
  'Change this paragraph and press Save: the new version and its signed callback appear beside the document.',
  'Open this page in another browser to edit together.',
];

/** The demo's document: a small WordprocessingML package (ECMA-376), the same bytes each time. */
export function sampleDocx(): Buffer {
  const body = PARAGRAPHS.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('');
  return zipStored({
    '[Content_Types].xml': `${XML}<Types xmlns="${OPC}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${MAIN_TYPE}"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${OPC}/relationships"><Relationship Id="rId1" Type="${OFFICE_DOCUMENT}" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${XML}<w:document xmlns:w="${WORD}"><w:body>${body}<w:sectPr/></w:body></w:document>`,
  });
}

/** A ZIP file whose entries are not packed (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16). */
function zipStored(parts: Record<string, string>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [part, content] of Object.entries(parts)) {
    const [name, data] = [Buffer.from(part), Buffer.from(content)];
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0); // version that a reader needs
    shared.writeUInt16LE(0x21, 8); // date: 1980-01-01
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, rest, name]));
    files.push(file);
    offset += file.length;
  }
  const end = Buffer.alloc(18);
  const entries = Buffer.concat(directory);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, entries, Buffer.from('PK\x05\x06'), end]);
}
