import { MAIN_TYPES, type Parts, zip } from '../../scripts/support/documents.ts';

/**
 * Word templates made in code: parts are WordprocessingML strings, with tags split over runs as Word splits them while
 * somebody types, corrects and formats.
 */
export interface TemplateParts {
  /** Content of `w:body`, of which the section properties are made here. */
  body: string;
  header?: string;
  firstHeader?: string;
  evenHeader?: string;
  footer?: string;
  /** Notes 1, 2, ... ; `footnote(1)` and `endnote(1)` refer to them. */
  footnotes?: string[];
  endnotes?: string[];
  comments?: string[];
  /** `dotx` is a template for Word itself. */
  format?: 'docx' | 'dotx';
  /** Further parts, or others in the place of those made here. */
  extra?: Parts;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const OPC = 'http://schemas.openxmlformats.org/package/2006';
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const NAMESPACES = Object.entries({
  w: 'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  r: OFFICE,
  wp: 'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing',
  a: 'http://schemas.openxmlformats.org/drawingml/2006/main',
  wps: 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape',
  mc: 'http://schemas.openxmlformats.org/markup-compatibility/2006',
  v: 'urn:schemas-microsoft-com:vml',
})
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');

/** The bytes of a template. */
export function docxTemplate(parts: TemplateParts): Buffer {
  const { format = 'docx', extra = {} } = parts;
  const side = sideParts(parts);
  const references = side.flatMap(({ reference }, index) => reference?.(`rId${index + 1}`) ?? []).join('');
  const title = parts.firstHeader === undefined ? '' : '<w:titlePg/>';
  const section = `<w:sectPr>${references}<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1701" w:header="567" w:footer="567" w:gutter="0"/>${title}</w:sectPr>`;
  const relationships = side.map(
    ({ kind, name }, index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${kind}" Target="${name}"/>`,
  );
  const types = [
    ['document.xml', MAIN_TYPES[format]],
    ...side.map(({ kind, name }) => [name, `${WORD_TYPE}.${kind}+xml`]),
  ];
  return zip({
    '[Content_Types].xml': `${XML}<Types xmlns="${OPC}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.map(([name, type]) => `<Override PartName="/word/${name}" ContentType="${type}"/>`).join('')}</Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${OPC}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': part('document', `<w:body>${parts.body}${section}</w:body>`),
    'word/_rels/document.xml.rels': `${XML}<Relationships xmlns="${OPC}/relationships">${relationships.join('')}</Relationships>`,
    ...Object.fromEntries(side.map(({ name, xml }) => [`word/${name}`, xml])),
    ...extra,
  });
}

interface SidePart {
  kind: string;
  name: string;
  xml: string;
  /** The section's reference to it. */
  reference?: (id: string) => string;
}

function sideParts(parts: TemplateParts): SidePart[] {
  const found: SidePart[] = [];
  const addHeader = (kind: 'header' | 'footer', type: string, content: string | undefined): void => {
    if (content === undefined) return;
    const name = `${kind}${found.length + 1}.xml`;
    const reference = (id: string): string => `<w:${kind}Reference w:type="${type}" r:id="${id}"/>`;
    found.push({ kind, name, xml: part(kind === 'header' ? 'hdr' : 'ftr', content), reference });
  };
  addHeader('header', 'default', parts.header);
  addHeader('header', 'first', parts.firstHeader);
  addHeader('header', 'even', parts.evenHeader);
  addHeader('footer', 'default', parts.footer);
  const addNotes = (kind: string, element: string, notes: string[] | undefined): void => {
    if (!notes) return;
    const items = notes.map((content, index) => `<w:${element} w:id="${index + 1}">${content}</w:${element}>`);
    found.push({ kind, name: `${kind}.xml`, xml: part(kind, items.join('')) });
  };
  addNotes('footnotes', 'footnote', parts.footnotes);
  addNotes('endnotes', 'endnote', parts.endnotes);
  addNotes('comments', 'comment', parts.comments);
  return found;
}

function part(root: string, content: string): string {
  return `${XML}<w:${root} ${NAMESPACES}>${content}</w:${root}>`;
}

/** A run; `text` is XML. */
export function run(text: string, properties = ''): string {
  const formatting = properties && `<w:rPr>${properties}</w:rPr>`;
  return `<w:r>${formatting}<w:t xml:space="preserve">${text}</w:t></w:r>`;
}

/** A paragraph of runs; plain text becomes one run. */
export function p(content: string, properties = ''): string {
  const runs = content.startsWith('<') || content === '' ? content : run(content);
  return `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${runs}</w:p>`;
}

/** A tag as Word saves one whose name the spelling checker does not know, typed in two goes around a bookmark. */
export function splitTag(tag: string, properties = ''): string {
  const half = Math.ceil(tag.length / 2);
  return [
    run('{', properties),
    run('{', properties),
    '<w:proofErr w:type="spellStart"/>',
    `<w:r w:rsidR="00F12A3B"><w:rPr><w:lang w:val="vi-VN"/></w:rPr><w:t>${tag.slice(0, half)}</w:t></w:r>`,
    '<w:bookmarkStart w:id="7" w:name="_GoBack"/><w:bookmarkEnd w:id="7"/>',
    `<w:r w:rsidR="00C45D6E"><w:t>${tag.slice(half)}</w:t></w:r>`,
    '<w:proofErr w:type="spellEnd"/>',
    run('}}', properties),
  ].join('');
}

/** A table with borders; each cell is block content. */
export function table(rows: string[][], widths: number[] = rows[0]?.map(() => 3000) ?? []): string {
  const border = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV']
    .map((side) => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="808080"/>`)
    .join('');
  const cell = (content: string, column: number): string =>
    `<w:tc><w:tcPr><w:tcW w:w="${widths[column]}" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
  const grid = widths.map((width) => `<w:gridCol w:w="${width}"/>`).join('');
  const body = rows.map((cells) => `<w:tr>${cells.map(cell).join('')}</w:tr>`).join('');
  return `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>${border}</w:tblBorders></w:tblPr><w:tblGrid>${grid}</w:tblGrid>${body}</w:tbl>`;
}

/** A run with a text box: once as DrawingML and once, for older programs, as VML. */
export function textBox(content: string, id = 1): string {
  const text = `<w:txbxContent>${content}</w:txbxContent>`;
  const drawing = `<w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="2160000" cy="720000"/><wp:docPr id="${id}" name="Text Box ${id}"/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2160000" cy="720000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:ln w="6350"><a:solidFill><a:srgbClr val="808080"/></a:solidFill></a:ln></wps:spPr><wps:txbx>${text}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing>`;
  return `<w:r><mc:AlternateContent><mc:Choice Requires="wps">${drawing}</mc:Choice><mc:Fallback><w:pict><v:rect style="width:170pt;height:56pt"><v:textbox>${text}</v:textbox></v:rect></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
}

export function footnote(id: number): string {
  return `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="${id}"/></w:r>`;
}

export function endnote(id: number): string {
  return `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:endnoteReference w:id="${id}"/></w:r>`;
}
