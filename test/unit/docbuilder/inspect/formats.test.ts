import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  MAIN_TYPES,
  type OoxmlFormat,
  ooxml,
  ooxmlParts,
  type Parts,
  zip,
} from '../../../../scripts/support/documents.ts';
import * as compound from '../../../support/compound-files.ts';
import { useFolder } from '../../../support/folder.ts';
import { corrupt, unsupported, verdict } from '../../../support/inspect.ts';
import * as open from '../../../support/open-documents.ts';
import samples from './samples.json' with { type: 'json' };

const { compoundFile, doc, xls, ppt } = compound;
const { odf, odfParts, flatOdf, manifest, ODF_TYPES } = open;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const ENCRYPTION = '<manifest:encryption-data manifest:checksum="x"/>';
const EXCEL_2003 = xls({ encrypted: true, cipher: [1, 0, 2, 0] });
const ENCRYPTED = compound.encryptedPackage();
const hasPassword = true;

/** The first record of a workbook, as BIFF has it. */
function bof(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt16LE(0x0809, 0);
  bytes.writeUInt16LE(length - 4, 2);
  return bytes;
}
/** A file of Word whose head has this number. */
const word = (ident: number) => Buffer.concat([Buffer.from([ident & 255, ident >> 8, 0x2d]), Buffer.alloc(5000)]);
const oldExcel = (...head: number[]) => Buffer.concat([Buffer.from(head), Buffer.alloc(20)]);
const manySmall = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`S${index}`, Buffer.alloc(70 + index)]));
const OTHER_CFB = compoundFile({ Data: Buffer.alloc(9) });
const TYPES = '[Content_Types].xml';
const getTypes = (format: OoxmlFormat) => String(ooxmlParts(format)[TYPES]);
/** A document whose list of content types is another. */
const retyped = (format: OoxmlFormat, from: string | RegExp, to: string, more: Parts = {}) =>
  ooxml(format, {}, { [TYPES]: getTypes(format).replace(from, to), ...more });
const overridden = (name: string, type: string) =>
  retyped('docx', '<Override', `<Override PartName="${name}" ContentType="${type}"/><Override`);
const without = (parts: Parts, name: string): Parts =>
  Object.fromEntries(Object.entries(parts).filter(([part]) => part !== name));

const old = (format: string, generation?: string) => ({ format, encrypted: false, ...(generation && { generation }) });
const FORMATS: Row[] = [
  ...(Object.keys(MAIN_TYPES) as OoxmlFormat[]).flatMap((format): Row[] =>
    [`a.${format}`, 'a.txt', 'a.pdf', 'a', undefined].map((name) => [format, ooxml(format), name, old(format)]),
  ),
  ...(Object.keys(ODF_TYPES) as open.OdfFormat[]).flatMap((format): Row[] => [
    [format, odf(format), 'a.docx', old(format)],
    [`${format} without mimetype`, zip(without(odfParts(format), 'mimetype')), 'a.docx', old(format)],
  ]),
  ...(['fodt', 'fods', 'fodp'] as const).flatMap((format): Row[] => {
    const bare = flatOdf(format)
      .toString()
      .replace(/^<\?xml.*?\?>\s*/, '');
    return [flatOdf(format), bare, Buffer.from(`\ufeff${bare}`, 'utf16le')].map((content) => [
      format,
      content,
      'a.doc',
      old(format),
    ]);
  }),
  ['doc', doc(), 'a.docx', old('doc')],
  ['xls', xls(), 'a.docx', old('xls')],
  ['ppt', ppt(), 'a.docx', old('ppt')],
  ['rtf', open.rtf(), 'a.docx', old('rtf')],
  ['Word 97', compoundFile({ WordDocument: word(0xa5ec), '0Table': bof(9) }), 'a.docx', old('doc')],
  ['Word 6 and 95', compoundFile({ WordDocument: word(0xa5dc) }), 'a.docx', old('doc', 'word_6')],
  ['Word 2', word(0xa5db), 'a.docx', old('doc', 'word_2')],
  ['Excel 97, named as other programs do', compoundFile({ WORKBOOK: bof(9) }), 'a.docx', old('xls')],
  ['PowerPoint 4', compoundFile({ PP40: Buffer.alloc(9) }), 'a.ppt', old('ppt', 'powerpoint_4')],
  [
    'PowerPoint 95',
    compoundFile({ 'PowerPoint Document': Buffer.alloc(9), 'Current User': Buffer.alloc(9) }),
    'a.ppt',
    old('ppt', 'powerpoint_4'),
  ],
  [
    'PowerPoint 95 with 97 beside it',
    compoundFile({ 'PowerPoint Document': Buffer.alloc(9), PP97_DUALSTORAGE: Buffer.alloc(9) }),
    'a.ppt',
    old('ppt'),
  ],
  ['Excel 5 and 95', compoundFile({ BOOK: bof(9) }), 'a.docx', old('xls', 'excel_5')],
  ['Excel 4', oldExcel(9, 4, 6, 0), 'a.docx', old('xls', 'excel_4')],
  ['Excel 2', oldExcel(9, 0, 4, 0), 'a.docx', old('xls', 'excel_4')],
  ['a stream among many', compoundFile({ ...manySmall, Workbook: bof(20) }), 'a', old('xls')],
  ['a package by its main part, not by documents inside', overridden('/a.xml', MAIN_TYPES.xlsx), 'a', old('docx')],
];

const NAMED: Row[] = [
  ['a csv', open.csv(), 'a.csv', { format: 'csv' }],
  ['a csv in capitals with tabs', open.csv(), 'a.TSV', { format: 'csv' }],
  ['a csv behind a dot in its name', open.csv(), 'Báo cáo.v2.CSV', { format: 'csv' }],
  ['a csv called text', open.csv(), 'a.txt', { format: 'txt' }],
  ...['notes.log', undefined, 'dir.csv/name', '.csv', 'a.', 'a.csv '].map(
    (name): Row => [`a text called ${name}`, open.txt(), name, { format: 'txt' }],
  ),
  ['a csv by `from`, before the name', open.csv(), 'a.txt', { format: 'csv' }, { from: 'csv' }],
  ['a csv by `from` in capitals', open.csv(), undefined, { format: 'csv' }, { from: 'CSV' }],
  ['a document by its content, not by `from`', ooxml('docx'), 'a.docx', { format: 'docx' }, { from: 'odt' }],
  ['a web page called text', '<!DOCTYPE html><p>a</p>', 'a.txt', { format: 'txt' }],
  [
    'XML with a document type called text',
    '<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "a.dtd">\n<a/>',
    'a.txt',
    { format: 'txt' },
  ],
  ['XML called csv', '<?xml version="1.0"?><a/>', 'a.csv', { format: 'csv' }],
  ['an encrypted workbook', ENCRYPTED, 'a.xlsx', { format: 'xlsx', encrypted: true }, { hasPassword }],
  ['an encrypted document with macros', ENCRYPTED, 'a.docm', { format: 'docm' }, { hasPassword }],
  ['an encrypted package with an old name', ENCRYPTED, 'a.xls', { format: 'xlsx' }, { hasPassword }],
  ['an encrypted package by `from`', ENCRYPTED, undefined, { format: 'pptx' }, { hasPassword, from: 'pptx' }],
  ['an encrypted package that nothing names', ENCRYPTED, 'a', unsupported('encrypted', 'from_required')],
];

const BINARY_WORKBOOK = 'application/vnd.ms-excel.sheet.binary.macroEnabled.main';
const FOREIGN: Row[] = [
  ['PDF', '%PDF-1.7\n', 'a.docx', unsupported('pdf')],
  ['picture', PNG, 'a.xlsx', unsupported('png')],
  ['web page in Word clothes', '<html xmlns:o="urn:x"><body>a</body></html>', 'a.doc', unsupported('html')],
  ['table in Excel clothes', '\ufeff\r\n<table><tr><td>1</td></tr></table>', 'a.xls', unsupported('html')],
  ['drawing', '<?xml version="1.0"?><!-- a --><svg xmlns="a"/>', 'a.svg', unsupported('svg')],
  ['drawing with a document type', '<!DOCTYPE svg PUBLIC "x" "y"><svg/>', 'a', unsupported('svg')],
  ['other XML', '<?xml version="1.0"?><w:wordDocument/>', 'a.doc', unsupported('xml')],
  ['plain archive', zip({ 'a.txt': 'a' }), 'a.zip', unsupported('zip')],
  ['Java archive', zip({ 'META-INF/MANIFEST.MF': 'a' }), 'a.jar', unsupported('jar')],
  ['book', zip({ mimetype: 'application/epub+zip' }), 'a', unsupported('epub')],
  ['binary workbook', retyped('xlsx', MAIN_TYPES.xlsx, BINARY_WORKBOOK), 'a.xlsx', unsupported('xlsb')],
  ...Object.entries({ graphics: 'odg', 'text-master': 'odm', 'text-web': 'oth', chart: 'odc', image: 'odi' }).map(
    ([type, format]): Row => {
      const content = zip({ mimetype: `application/vnd.oasis.opendocument.${type}` });
      return [`${type} of OpenDocument`, content, 'a.odt', unsupported(format)];
    },
  ),
  ['mail', compoundFile({ '__properties_version1.0': Buffer.alloc(9) }), 'a.msg', unsupported('msg')],
  ['other compound file', OTHER_CFB, 'a', unsupported('ole')],
  ['program', Buffer.from('4d5a90000300000004000000', 'hex'), 'a.exe', unsupported('exe')],
  ['unknown bytes', Buffer.from([1, 2, 3, 4]), 'a', unsupported('binary')],
  ['`from` that is no format', 'a', 'a.txt', unsupported('wordperfect'), { from: 'wordperfect' }],
  ['`from` that is a member', 'a', 'a.txt', unsupported('__proto__'), { from: '__proto__' }],
];

const MISNAMED: Row[] = [
  ...['docx', 'xlsx', 'doc', 'odp', 'rtf', 'fodt'].flatMap((name): Row[] => [
    [`text called ${name}`, open.txt(), `a.${name}`, corrupt(`not_${name}`)],
    [`text from ${name}`, open.txt(), undefined, corrupt(`not_${name}`), { from: name }],
  ]),
  ['random bytes', Buffer.from([0, 1, 2, 3]), 'a.docx', corrupt('not_docx')],
  ['a plain archive', zip({ 'a.txt': 'a' }), 'a.docx', corrupt('not_docx')],
  ['a compound file without any stream of a program', OTHER_CFB, 'a.doc', corrupt('not_doc')],
  ['one whose stream is another', compoundFile({ WordDocument: Buffer.alloc(5000) }), 'a.doc', corrupt('not_doc')],
  ...['a.docx', 'a.txt', undefined].map((name): Row => [`nothing called ${name}`, '', name, corrupt('empty')]),
];

const LIBRARY = `<manifest:file-entry manifest:full-path="Basic/Standard/M.xml">${ENCRYPTION}</manifest:file-entry>`;
const INDEX = manifest(ODF_TYPES.odt).replace('</manifest:manifest>', `${LIBRARY}</manifest:manifest>`);
const ENCRYPTED_ODT = { 'META-INF/manifest.xml': manifest(ODF_TYPES.odt, ENCRYPTION), 'content.xml': PNG };
const WHOLE = { mimetype: ODF_TYPES.ods, 'encrypted-package': PNG, 'META-INF/manifest.xml': manifest(ODF_TYPES.ods) };
const PROTECTED: Row[] = [
  ...(
    [
      ['docx', ENCRYPTED],
      ['doc', doc({ encrypted: true })],
      ['odt', odf('odt', {}, ENCRYPTED_ODT)],
      ['ods', zip(WHOLE)],
    ] as const
  ).flatMap(([format, content]): Row[] => [
    [format, content, `a.${format}`, { code: 'password_required', detail: { reason: 'missing' } }],
    [`${format} with a password`, content, `a.${format}`, { format, encrypted: true }, { hasPassword }],
  ]),
  [
    'not a document that has a library of macros encrypted',
    odf('odt', {}, { 'META-INF/manifest.xml': INDEX, 'Basic/Standard/M.xml': PNG }),
    'a.odt',
    { encrypted: false },
  ],
  ['not an old workbook, which may only be protected', xls({ encrypted: true }), 'a.xls', { encrypted: true }],
  ['nor a new one', ENCRYPTED, 'a.xlsx', { format: 'xlsx', encrypted: true }],
  ['but nothing opens a ppt', ppt({ encrypted: true }), 'a.ppt', unsupported('ppt', 'encrypted')],
  ['also with a password', ppt({ encrypted: true }), 'a.ppt', unsupported('ppt', 'encrypted'), { hasPassword }],
  ['nor a workbook as Excel 2003 encrypts it', EXCEL_2003, 'a.xls', unsupported('xls', 'encrypted'), { hasPassword }],
  ['and a password encrypts nothing', ooxml('docx'), 'a.docx', { encrypted: false }, { hasPassword }],
];

const macros = (reason: string, part: string) => ({ macros: { reason, part } });
const project = (part = 'word/vbaProject.bin') => macros('vba_project', part);
const VBA = 'application/vnd.ms-office.vbaProject';
const RELATED = {
  'word/a.png': 'x',
  'word/_rels/document.xml.rels':
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
    '<Relationship Id="a" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="a.png"/></Relationships>',
};
const BASIC_INDEX =
  '<?xml version="1.0"?>\n<!DOCTYPE library:libraries PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "libraries.dtd">\n<library:libraries xmlns:library="http://openoffice.org/2000/library"/>';
const flatBasic = (inside: string) => {
  const scripts = `<office:scripts><ooo:library-embedded>${inside}</ooo:library-embedded></office:scripts>`;
  return flatOdf('fodt').toString().replace('<office:body', `${scripts}<office:body`);
};
const BASIC_SOURCE = '<ooo:module><ooo:source-code>Sub Main</ooo:source-code></ooo:module>';
const AS_DEFAULT = `<Default Extension="PNG" ContentType="${VBA}"/><Default`;
const PROJECT_OVERRIDE = /<Override PartName="\/xl\/vbaProject[^>]*>/;
const ONLY_TYPE = {
  ...without(ooxmlParts('xlsm'), 'xl/vbaProject.bin'),
  [TYPES]: getTypes('xlsm').replace(PROJECT_OVERRIDE, ''),
};
const MACROS: Row[] = [
  ['a VBA project', ooxml('docm'), 'a', project()],
  ['one by its part', ooxml('docx', {}, { 'word/vbaProject.bin': 'x' }), 'a', project()],
  ['by an escaped type', overridden('/word/a.png', VBA.replace('P', '&#80;')), 'a', project('word/a.png')],
  ['by a type with parameters', overridden('/word/a.png', `${VBA}; a=b`), 'a', project('word/a.png')],
  ['by its extension', retyped('docx', '<Default', AS_DEFAULT, { 'word/a.png': 'x' }), 'a', project('*.PNG')],
  ['by its relationship', ooxml('docx', {}, RELATED), 'a', project('a.png')],
  ['a macro-enabled main part without a project', zip(ONLY_TYPE), 'a', macros('macro_content_type', 'xl/workbook.xml')],
  [
    'Basic with a DTD',
    odf('odt', {}, { 'Basic/script-lc.xml': BASIC_INDEX }),
    'a',
    macros('basic', 'Basic/script-lc.xml'),
  ],
  ['scripts', odf('ods', {}, { 'Scripts/python/a.py': 'pass' }), 'a', macros('scripts', 'Scripts/python/a.py')],
  ['Basic in a flat file', flatBasic(BASIC_SOURCE), 'a', macros('basic', 'office:scripts')],
  ['not the empty library that LibreOffice writes into each', flatBasic(''), 'a', { macros: null }],
  ['nothing in a picture', ooxml('docx', {}, { 'word/a.png': 'x' }), 'a', { macros: null }],
  ['nothing in an odt', odf('odt'), 'a', { macros: null }],
  ['nothing in a doc', doc(), 'a', { macros: null }],
  ['nothing in an rtf', open.rtf(), 'a', { macros: null }],
];

/**
 * Documents as LibreOffice 7.4 writes them (the odt that is encrypted as a whole: 25.2), of kinds that no test can make by
 * itself; packed, in base64. The encrypted ones open with `bí mật` (docx, xlsx) and `secret` (doc, xls, odt).
 */
const SAMPLES = Object.entries(samples).map(([name, packed]): Row => {
  const format = /\b(docx?|xlsx?|odt)\b/.exec(name)?.[0] ?? '';
  const found = { format, encrypted: name.startsWith('encrypted') };
  const content = gunzipSync(Buffer.from(packed, 'base64'));
  const macros = name.includes('Basic') ? {} : { macros: null };
  return [name, content, `a.${format}`, { ...found, ...macros }, { hasPassword }];
});

type Row = [
  what: string,
  content: string | Uint8Array,
  name: string | undefined,
  expected: object,
  options?: { hasPassword?: boolean; from?: string },
];

describe('inspecting a source file', () => {
  const folder = useFolder();
  for (const [about, rows] of Object.entries({
    'tells the format by the content': FORMATS,
    'lets the name decide where content cannot': NAMED,
    'says what a file is instead': FOREIGN,
    'says that a file is not what it is called': MISNAMED,
    'knows before anybody opens it that a file needs a password': PROTECTED,
    'reports macros (contract: macro_not_allowed)': MACROS,
    'knows what LibreOffice wrote': SAMPLES,
  })) {
    describe(about, () => {
      for (const [what, content, name, expected, options] of rows) {
        it(`${what} (${name})`, async () => {
          const found = await verdict(await folder.file(content), name, options);
          expect(found).to.deep.include(expected);
          if (!('generation' in expected)) expect(found).to.not.have.property('generation');
          if (what.includes('Basic')) expect(found).to.have.nested.property('macros.reason', 'basic');
        });
      }
    });
  }
});
