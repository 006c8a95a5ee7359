import { type Zippable, zipSync } from 'fflate';

/**
 * Small real documents, made in code so that a test can say what is in them. LibreOffice opens each of them;
 * `test/support/hostile.ts` has those that nobody should open.
 */
export interface DocumentSize {
  /** Paragraphs of a text document. */
  paragraphs?: number;
  /** Rows of every sheet. */
  rows?: number;
  columns?: number;
  slides?: number;
}

export type Parts = Record<string, string | Uint8Array>;

export const SENTENCE = 'Cộng hòa xã hội chủ nghĩa Việt Nam: Độc lập, Tự do, Hạnh phúc.';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OPC = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const SLIDE = 'http://schemas.openxmlformats.org/presentationml/2006/main';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const OOXML_TYPE = 'application/vnd.openxmlformats-officedocument';

/** The content types of the main part, by extension. */
export const MAIN_TYPES = {
  docx: `${OOXML_TYPE}.wordprocessingml.document.main+xml`,
  docm: 'application/vnd.ms-word.document.macroEnabled.main+xml',
  dotx: `${OOXML_TYPE}.wordprocessingml.template.main+xml`,
  dotm: 'application/vnd.ms-word.template.macroEnabledTemplate.main+xml',
  xlsx: `${OOXML_TYPE}.spreadsheetml.sheet.main+xml`,
  xlsm: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml',
  xltx: `${OOXML_TYPE}.spreadsheetml.template.main+xml`,
  xltm: 'application/vnd.ms-excel.template.macroEnabled.main+xml',
  pptx: `${OOXML_TYPE}.presentationml.presentation.main+xml`,
  pptm: 'application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml',
  ppsx: `${OOXML_TYPE}.presentationml.slideshow.main+xml`,
  ppsm: 'application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml',
  potx: `${OOXML_TYPE}.presentationml.template.main+xml`,
  potm: 'application/vnd.ms-powerpoint.template.macroEnabled.main+xml',
} as const;
export type OoxmlFormat = keyof typeof MAIN_TYPES;

/** Zips parts in their order. `mimetype` is stored, as OpenDocument asks for. */
export function zip(parts: Parts, level: 0 | 1 | 6 | 9 = 6): Buffer {
  const files: Zippable = {};
  for (const [name, content] of Object.entries(parts)) {
    files[name] = [bytes(content), { level: name === 'mimetype' ? 0 : level, mtime: '2026-01-01' }];
  }
  return Buffer.from(zipSync(files));
}

/** The bytes of a document of any OOXML format; `extra` adds or replaces parts. */
export function ooxml(format: OoxmlFormat, size: DocumentSize = {}, extra: Parts = {}): Buffer {
  return zip({ ...ooxmlParts(format, size), ...extra });
}

/** The same, not zipped. Formats with macros have a `vbaProject.bin` (of rubbish). */
export function ooxmlParts(format: OoxmlFormat, size: DocumentSize = {}): Parts {
  const [main, parts] = writeBody(format, size);
  const folder = main.slice(0, main.indexOf('/'));
  const macros = /m$/.test(format);
  const vba = { [`${folder}/vbaProject.bin`]: Buffer.from('Attribute VB_Name = "AutoOpen"') };
  const overrides = [[main, MAIN_TYPES[format]], ...Object.entries(PART_TYPES(parts))];
  if (macros) overrides.push([`${folder}/vbaProject.bin`, 'application/vnd.ms-office.vbaProject']);
  return {
    '[Content_Types].xml': `${XML}<Types xmlns="${OPC}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
${overrides.map(([name, type]) => `<Override PartName="/${name}" ContentType="${type}"/>`).join('\n')}
</Types>`,
    '_rels/.rels': relationships([['officeDocument', main]]),
    ...parts,
    ...(macros ? vba : {}),
  };
}

function writeBody(format: OoxmlFormat, size: DocumentSize): [main: string, parts: Parts] {
  if (/^do/.test(format)) return ['word/document.xml', wordParts(size)];
  if (/^xl/.test(format)) return ['xl/workbook.xml', workbookParts(size)];
  return ['ppt/presentation.xml', presentationParts(size)];
}

function wordParts({ paragraphs = 1 }: DocumentSize): Parts {
  const body = times(paragraphs, (n) => `<w:p><w:r><w:t>${n}. ${SENTENCE}</w:t></w:r></w:p>`);
  return { 'word/document.xml': `${XML}<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>` };
}

function workbookParts({ rows = 3, columns = 3 }: DocumentSize): Parts {
  const cells = (row: number): string =>
    times(columns, (column) =>
      column === 1
        ? `<c r="A${row}" t="inlineStr"><is><t>Dòng ${row}</t></is></c>`
        : `<c r="${String.fromCharCode(64 + column)}${row}"><v>${row * column}</v></c>`,
    );
  const data = times(rows, (row) => `<row r="${row}">${cells(row)}</row>`);
  return {
    'xl/workbook.xml': `${XML}<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Bảng" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([['worksheet', 'worksheets/sheet1.xml']]),
    'xl/worksheets/sheet1.xml': `${XML}<worksheet xmlns="${SHEET}"><sheetData>${data}</sheetData></worksheet>`,
  };
}

function presentationParts({ slides = 1 }: DocumentSize): Parts {
  const names = Array.from({ length: slides }, (_, index) => `slide${index + 1}`);
  const tree = (content = ''): string =>
    `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${content}</p:spTree></p:cSld>`;
  const text = (n: string): string =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Title"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="500000" y="500000"/><a:ext cx="8000000" cy="1000000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>${n}: ${SENTENCE}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const part = (root: string, content: string): string =>
    `${XML}<p:${root} xmlns:p="${SLIDE}" xmlns:a="${DRAWING}" xmlns:r="${OFFICE}">${content}</p:${root}>`;
  const colours =
    '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>';
  const parts: Parts = {
    'ppt/presentation.xml': part(
      'presentation',
      `<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst>${names.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 2}"/>`).join('')}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>`,
    ),
    'ppt/_rels/presentation.xml.rels': relationships([
      ['slideMaster', 'slideMasters/slideMaster1.xml'],
      ...names.map((name): [string, string] => ['slide', `slides/${name}.xml`]),
    ]),
    'ppt/slideMasters/slideMaster1.xml': part(
      'sldMaster',
      `${tree()}${colours}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>`,
    ),
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relationships([
      ['slideLayout', '../slideLayouts/slideLayout1.xml'],
    ]),
    'ppt/slideLayouts/slideLayout1.xml': part('sldLayout', tree()),
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationships([
      ['slideMaster', '../slideMasters/slideMaster1.xml'],
    ]),
  };
  for (const name of names) {
    parts[`ppt/slides/${name}.xml`] = part('sld', tree(text(name)));
    parts[`ppt/slides/_rels/${name}.xml.rels`] = relationships([['slideLayout', '../slideLayouts/slideLayout1.xml']]);
  }
  return parts;
}

/** Content types of the parts that are not the main one. */
function PART_TYPES(parts: Parts): Record<string, string> {
  const kinds: [pattern: RegExp, type: string][] = [
    [/^xl\/worksheets\/[^/]+\.xml$/, 'spreadsheetml.worksheet'],
    [/^ppt\/slides\/[^/]+\.xml$/, 'presentationml.slide'],
    [/^ppt\/slideMasters\/[^/]+\.xml$/, 'presentationml.slideMaster'],
    [/^ppt\/slideLayouts\/[^/]+\.xml$/, 'presentationml.slideLayout'],
  ];
  const types: Record<string, string> = {};
  for (const name of Object.keys(parts)) {
    const kind = kinds.find(([pattern]) => pattern.test(name));
    if (kind) types[name] = `${OOXML_TYPE}.${kind[1]}+xml`;
  }
  return types;
}

function relationships(targets: [type: string, target: string][]): string {
  const items = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${OPC}/relationships">${items.join('')}</Relationships>`;
}

export function times(count: number, item: (n: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index + 1)).join('');
}

export function bytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content;
}
