import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { ooxml, ooxmlParts, type Parts, zip } from '../support/documents.ts';

const OPC = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const EMU = 9525;
const SIZE = { paragraphs: 4 };

/** A short text document. */
export function docx(): Buffer {
  return ooxml('docx', SIZE);
}

/** A text document of about so many megabytes, nearly all of them a picture that does not get smaller. */
export function largeDocx(megabytes: number): Buffer {
  const side = Math.round(Math.sqrt((megabytes * 1e6) / 3));
  return zip(
    withPicture(
      ooxmlParts('docx', SIZE),
      png(side, (bytes) => randomBytes(bytes)),
    ),
    1,
  );
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

/** A text document's parts with a picture behind its text. */
function withPicture(parts: Parts, picture: Uint8Array): Parts {
  const type = '<Default Extension="png" ContentType="image/png"/></Types>';
  const relation = `<Relationship Id="rId1" Type="${OFFICE}/image" Target="media/image1.png"/>`;
  const shown = `<w:p><w:r><w:drawing>${inline()}</w:drawing></w:r></w:p></w:body>`;
  return {
    ...parts,
    '[Content_Types].xml': String(parts['[Content_Types].xml']).replace('</Types>', type),
    'word/document.xml': String(parts['word/document.xml']).replace('</w:body>', shown),
    'word/_rels/document.xml.rels': `<Relationships xmlns="${OPC}/relationships">${relation}</Relationships>`,
    'word/media/image1.png': picture,
  };
}

/** The picture, six centimetres wide. */
function inline(): string {
  const size = `cx="${226 * EMU}" cy="${226 * EMU}"`;
  return `<wp:inline xmlns:wp="${DRAWING}/wordprocessingDrawing"><wp:extent ${size}/><wp:docPr id="1" name="picture"/>
<a:graphic xmlns:a="${DRAWING}/main"><a:graphicData uri="${DRAWING}/picture"><pic:pic xmlns:pic="${DRAWING}/picture"><pic:nvPicPr><pic:cNvPr id="1" name="picture"/><pic:cNvPicPr/></pic:nvPicPr>
<pic:blipFill><a:blip xmlns:r="${OFFICE}" r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${size}/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline>`;
}
