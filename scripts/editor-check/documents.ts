import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { strToU8, type Zippable, zipSync } from 'fflate';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OPC = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const MAIN_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const EMU = 9525;

const SENTENCES = ['Biên bản họp', 'Cuộc họp bắt đầu lúc chín giờ.', 'The meeting begins at nine.', 'Kết luận'];

/** A short text document (ECMA-376). @param picture a PNG that it shows, and its pixels on each side */
export function docx(picture?: { png: Uint8Array; side: number }): Buffer {
  const body = SENTENCES.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('');
  const shown = picture ? `<w:p><w:r><w:drawing>${inline(picture.side)}</w:drawing></w:r></w:p>` : '';
  const relationships = picture ? relation('rId1', `${OFFICE}/image`, 'media/image1.png') : '';
  const parts: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${OPC}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="${MAIN_TYPE}"/></Types>`,
    '_rels/.rels': related(relation('rId1', `${OFFICE}/officeDocument`, 'word/document.xml')),
    'word/_rels/document.xml.rels': related(relationships),
    'word/document.xml': `<w:document xmlns:w="${WORD}" xmlns:r="${OFFICE}"><w:body>${body}${shown}<w:sectPr/></w:body></w:document>`,
  };
  const files: Zippable = {};
  for (const [name, content] of Object.entries(parts)) files[name] = strToU8(`${XML}${content}`);
  if (picture) files['word/media/image1.png'] = [picture.png, { level: 0 }];
  return Buffer.from(zipSync(files));
}

/** A text document of about so many megabytes, nearly all of them a picture that does not get smaller. */
export function largeDocx(megabytes: number): Buffer {
  const side = Math.round(Math.sqrt((megabytes * 1e6) / 3));
  return docx({ png: png(side, (bytes) => randomBytes(bytes)), side });
}

/** A grey square as a PNG. @param side in pixels */
export function square(side: number): Buffer {
  return png(side, (bytes) => Buffer.alloc(bytes, 0x80));
}

/** A square picture (ISO/IEC 15948) of lines that `fill` makes. */
function png(side: number, fill: (bytes: number) => Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8); // bits of a colour, and colours without a palette
  const lines = Array.from({ length: side }, () => [Buffer.alloc(1), fill(3 * side)]).flat();
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(lines))), chunk('IEND')];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function related(relations: string): string {
  return `<Relationships xmlns="${OPC}/relationships">${relations}</Relationships>`;
}

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`;
}

/** The first picture, six centimetres wide. */
function inline(side: number): string {
  const size = `cx="${226 * EMU}" cy="${226 * EMU}"`;
  return `<wp:inline xmlns:wp="${DRAWING}/wordprocessingDrawing"><wp:extent ${size}/><wp:docPr id="1" name="picture of ${side} pixels"/>
<a:graphic xmlns:a="${DRAWING}/main"><a:graphicData uri="${DRAWING}/picture"><pic:pic xmlns:pic="${DRAWING}/picture"><pic:nvPicPr><pic:cNvPr id="1" name="picture"/><pic:cNvPicPr/></pic:nvPicPr>
<pic:blipFill><a:blip r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${size}/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline>`;
}
