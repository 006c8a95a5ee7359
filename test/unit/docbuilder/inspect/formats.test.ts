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
import {
  csv,
  flatOdf,
  manifest,
  ODF_TYPES,
  type OdfFormat,
  odf,
  odfParts,
  rtf,
  txt,
} from '../../../support/open-documents.ts';

type Content = string | Uint8Array;

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const ENCRYPTION = '<manifest:encryption-data manifest:checksum="x"/>';
const { compoundFile } = compound;

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
const getTypes = (format: OoxmlFormat) => String(ooxmlParts(format)['[Content_Types].xml']);
/** A document whose list of content types is another. */
const retyped = (format: OoxmlFormat, from: string | RegExp, to: string) =>
  ooxml(format, {}, { '[Content_Types].xml': getTypes(format).replace(from, to) });
const overridden = (name: string, type: string) =>
  retyped('docx', '<Override', `<Override PartName="${name}" ContentType="${type}"/><Override`);
const without = (parts: Parts, name: string): Parts => {
  const { [name]: _, ...others } = parts;
  return others;
};

describe('inspecting a source file', () => {
  const folder = useFolder();
  const look = async (content: Content, name?: string, options: object = {}) =>
    verdict(await folder.file(content), name, options);

  describe('tells the format by the content', () => {
    for (const format of Object.keys(MAIN_TYPES) as OoxmlFormat[]) {
      it(`${format}, whatever it is called`, async () => {
        for (const name of [`a.${format}`, 'a.txt', 'a.pdf', 'a', undefined]) {
          expect(await look(ooxml(format), name)).to.include({ format, encrypted: false });
        }
      });
    }
    for (const format of Object.keys(ODF_TYPES) as OdfFormat[]) {
      it(`${format}, with and without its mimetype entry`, async () => {
        for (const content of [odf(format), zip(without(odfParts(format), 'mimetype'))]) {
          expect(await look(content, 'a.docx')).to.include({ format, encrypted: false });
        }
      });
    }
    for (const format of ['fodt', 'fods', 'fodp'] as const) {
      it(`${format}, also in UTF-16 and without an XML declaration`, async () => {
        const bare = flatOdf(format)
          .toString()
          .replace(/^<\?xml.*?\?>\s*/, '');
        const wide = Buffer.from(`\ufeff${bare}`, 'utf16le');
        for (const content of [flatOdf(format), bare, wide])
          expect(await look(content, 'a.doc')).to.include({ format });
      });
    }

    const FILES: [what: string, content: Content, format: string, generation?: string][] = [
      ['doc', compound.doc(), 'doc'],
      ['xls', compound.xls(), 'xls'],
      ['ppt', compound.ppt(), 'ppt'],
      ['rtf', rtf(), 'rtf'],
      ['Word 97', compoundFile({ WordDocument: word(0xa5ec), '0Table': bof(9) }), 'doc'],
      ['Word 6 and 95', compoundFile({ WordDocument: word(0xa5dc) }), 'doc', 'word_6'],
      ['Word 2', word(0xa5db), 'doc', 'word_2'],
      ['Excel 97, named as other programs do', compoundFile({ WORKBOOK: bof(9) }), 'xls'],
      ['Excel 5 and 95', compoundFile({ BOOK: bof(9) }), 'xls', 'excel_5'],
      ['Excel 4', oldExcel(9, 4, 6, 0), 'xls', 'excel_4'],
      ['Excel 2', oldExcel(9, 0, 4, 0), 'xls', 'excel_4'],
      [
        'a stream among many',
        compoundFile({ ...manySmall, 'Current User': Buffer.alloc(20), Workbook: bof(20) }),
        'xls',
      ],
      ['a package by its main part, not by the documents inside it', overridden('/a.xml', MAIN_TYPES.xlsx), 'docx'],
    ];
    for (const [what, content, format, generation] of FILES) {
      it(`${what}: ${format}`, async () => {
        const found = await look(content, 'a.docx');
        expect(found).to.include({ format });
        expect('encrypted' in found && found.encrypted).to.not.equal(true);
        expect('generation' in found ? found.generation : undefined).to.equal(generation);
      });
    }
  });

  describe('lets the name decide where content cannot', () => {
    const HTML = '<!DOCTYPE html><p>a</p>';
    const encrypted = compound.encryptedPackage();
    const hasPassword = true;
    const NAMED: [what: string, content: Content, name: string | undefined, options: object, expected: object][] = [
      ['a csv', csv(), 'a.csv', {}, { format: 'csv' }],
      ['a csv in capitals with tabs', csv(), 'a.TSV', {}, { format: 'csv' }],
      ['a csv called text', csv(), 'a.txt', {}, { format: 'txt' }],
      ['a text of any name', txt(), 'notes.log', {}, { format: 'txt' }],
      ['a text without a name', txt(), undefined, {}, { format: 'txt' }],
      ['a csv by `from`, before the name', csv(), 'a.txt', { from: 'csv' }, { format: 'csv' }],
      ['a csv by `from` in capitals', csv(), undefined, { from: 'CSV' }, { format: 'csv' }],
      ['a document by its content, not by `from`', ooxml('docx'), 'a.docx', { from: 'odt' }, { format: 'docx' }],
      ['a web page called text', HTML, 'a.txt', {}, { format: 'txt' }],
      ['XML called csv', '<?xml version="1.0"?><a/>', 'a.csv', {}, { format: 'csv' }],
      ['an encrypted workbook', encrypted, 'a.xlsx', { hasPassword }, { format: 'xlsx', encrypted: true }],
      ['an encrypted document with macros', encrypted, 'a.docm', { hasPassword }, { format: 'docm' }],
      ['an encrypted package with an old name', encrypted, 'a.xls', { hasPassword }, { format: 'xlsx' }],
      ['an encrypted package by `from`', encrypted, undefined, { hasPassword, from: 'pptx' }, { format: 'pptx' }],
      [
        'an encrypted package that nothing names',
        encrypted,
        'a',
        { hasPassword },
        { code: 'unsupported_format', detail: { from: 'encrypted', reason: 'from_required' } },
      ],
    ];
    for (const [what, content, name, options, expected] of NAMED) {
      it(what, async () => expect(await look(content, name, options)).to.deep.include(expected));
    }
  });

  describe('says what a file is instead', () => {
    const foreign: [what: string, content: Content, name: string, from: string, reason?: string][] = [
      ['PDF called docx', '%PDF-1.7\n', 'a.docx', 'pdf'],
      ['picture called xlsx', PNG, 'a.xlsx', 'png'],
      ['web page in Word clothes', '<html xmlns:o="urn:x"><body>a</body></html>', 'a.doc', 'html'],
      ['table in Excel clothes', '\ufeff\r\n<table><tr><td>1</td></tr></table>', 'a.xls', 'html'],
      ['drawing', '<?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg"/>', 'a.svg', 'svg'],
      ['drawing with a document type', '<!DOCTYPE svg PUBLIC "x" "y"><svg/>', 'a', 'svg'],
      ['other XML', '<?xml version="1.0"?><w:wordDocument/>', 'a.doc', 'xml'],
      ['plain archive', zip({ 'a.txt': 'a' }), 'a.zip', 'zip'],
      ['Java archive', zip({ 'META-INF/MANIFEST.MF': 'a' }), 'a.jar', 'jar'],
      ['book', zip({ mimetype: 'application/epub+zip' }), 'a', 'epub'],
      [
        'binary workbook',
        retyped('xlsx', MAIN_TYPES.xlsx, 'application/vnd.ms-excel.sheet.binary.macroEnabled.main'),
        'a.xlsx',
        'xlsb',
      ],
      ['OpenDocument drawing', zip({ mimetype: 'application/vnd.oasis.opendocument.graphics' }), 'a.odt', 'odg'],
      ['mail', compoundFile({ '__properties_version1.0': Buffer.alloc(9) }), 'a.msg', 'msg'],
      ['presentation of PowerPoint 95', compoundFile({ PP40: Buffer.alloc(9) }), 'a.ppt', 'ppt', 'version'],
      ['another compound file', compoundFile({ Data: Buffer.alloc(9) }), 'a', 'ole'],
      ['program', Buffer.from('4d5a90000300000004000000', 'hex'), 'a.exe', 'exe'],
      ['unknown bytes', Buffer.from([1, 2, 3, 4]), 'a', 'binary'],
    ];
    for (const [what, content, name, from, reason] of foreign) {
      it(`${what}: unsupported_format from ${from}`, async () => {
        const detail = { from, ...(reason && { reason }) };
        expect(await look(content, name)).to.deep.equal({ code: 'unsupported_format', detail });
      });
    }
    for (const from of ['wordperfect', '__proto__']) {
      it(`a \`from\` that is no format: ${from}`, async () => {
        expect(await look(txt(), 'a.txt', { from })).to.deep.equal(unsupported(from));
      });
    }
  });

  describe('says that a file is not what it is called', () => {
    const misnamed: [what: string, content: Content, name: string | undefined, reason: string][] = [
      ...['docx', 'xlsx', 'doc', 'odp', 'rtf', 'fodt'].map((name): [string, Content, string, string] => [
        `text called ${name}`,
        txt(),
        `a.${name}`,
        `not_${name}`,
      ]),
      ['random bytes', Buffer.from([0, 1, 2, 3]), 'a.docx', 'not_docx'],
      ['a plain archive', zip({ 'a.txt': 'a' }), 'a.docx', 'not_docx'],
      ['a compound file without any stream of a program', compoundFile({ Data: Buffer.alloc(9) }), 'a.doc', 'not_doc'],
      ['one whose stream is another', compoundFile({ WordDocument: Buffer.alloc(5000) }), 'a.doc', 'not_doc'],
      ...['a.docx', 'a.txt', undefined].map((name): [string, Content, string | undefined, string] => {
        return [`an empty file called ${name}`, '', name, 'empty'];
      }),
    ];
    for (const [what, content, name, reason] of misnamed) {
      it(`${what}: ${reason}`, async () => {
        expect(await look(content, name)).to.deep.equal(corrupt(reason));
        const from = name?.slice(2);
        if (from && reason === `not_${from}`)
          expect(await look(content, undefined, { from })).to.deep.equal(corrupt(reason));
      });
    }
  });

  describe('knows before anybody opens it that a file needs a password', () => {
    const encryptedOdt = { 'META-INF/manifest.xml': manifest(ODF_TYPES.odt, ENCRYPTION), 'content.xml': PNG };
    const wholeOds = {
      mimetype: ODF_TYPES.ods,
      'encrypted-package': PNG,
      'META-INF/manifest.xml': manifest(ODF_TYPES.ods),
    };
    for (const [what, content, format] of [
      ['docx', compound.encryptedPackage(), 'docx'],
      ['doc', compound.doc({ encrypted: true }), 'doc'],
      ['odt with encrypted parts', odf('odt', {}, encryptedOdt), 'odt'],
      ['ods encrypted as a whole', zip(wholeOds), 'ods'],
    ] as const) {
      it(what, async () => {
        const missing = { code: 'password_required', detail: { reason: 'missing' } };
        expect(await look(content, `a.${format}`)).to.deep.equal(missing);
        expect(await look(content, `a.${format}`, { hasPassword: true })).to.include({ format, encrypted: true });
      });
    }

    const library = `<manifest:file-entry manifest:full-path="Basic/Standard/M.xml">${ENCRYPTION}</manifest:file-entry>`;
    const index = manifest(ODF_TYPES.odt).replace('</manifest:manifest>', `${library}</manifest:manifest>`);
    const encryptedBasic = odf('odt', {}, { 'META-INF/manifest.xml': index, 'Basic/Standard/M.xml': PNG });
    const refusedPpt = { code: 'unsupported_format', detail: { from: 'ppt', reason: 'encrypted' } };
    for (const [what, content, name, expected] of [
      ['not of a document that has a library of macros encrypted', encryptedBasic, 'a.odt', { encrypted: false }],
      [
        'not of an old workbook, which Excel may only protect',
        compound.xls({ encrypted: true }),
        'a.xls',
        { encrypted: true },
      ],
      ['nor of a new one', compound.encryptedPackage(), 'a.xlsx', { format: 'xlsx', encrypted: true }],
      ['and that nothing opens an encrypted ppt', compound.ppt({ encrypted: true }), 'a.ppt', refusedPpt],
    ] as const) {
      it(what, async () => expect(await look(content, name)).to.deep.include(expected));
    }

    it('and what a password does not change', async () => {
      const hasPassword = true;
      expect(await look(compound.ppt({ encrypted: true }), 'a.ppt', { hasPassword })).to.deep.equal(refusedPpt);
      expect(await look(ooxml('docx'), 'a.docx', { hasPassword })).to.include({ encrypted: false });
    });
  });

  describe('reports macros (contract: macro_not_allowed)', () => {
    const project = (part = 'word/vbaProject.bin') => ({ reason: 'vba_project', part });
    const related =
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
      '<Relationship Id="a" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="a.png"/></Relationships>';
    const pngIsMacro = '<Default Extension="PNG" ContentType="application/vnd.ms-office.vbaProject"/><Default';
    const defaulted = getTypes('docx').replace('<Default', pngIsMacro);
    const noProject = getTypes('xlsm').replace(/<Override PartName="\/xl\/vbaProject[^>]*>/, '');
    const basicIndex =
      '<?xml version="1.0"?>\n<!DOCTYPE library:libraries PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "libraries.dtd">\n<library:libraries xmlns:library="http://openoffice.org/2000/library"/>';
    const flatBasic = (inside: string) => {
      const scripts = `<office:scripts><ooo:library-embedded>${inside}</ooo:library-embedded></office:scripts>`;
      return flatOdf('fodt').toString().replace('<office:body', `${scripts}<office:body`);
    };
    const source = '<ooo:module><ooo:source-code>Sub Main</ooo:source-code></ooo:module>';
    const MACROS: [what: string, content: Content, macros: object | null][] = [
      ['a VBA project', ooxml('docm'), project()],
      ['one by its part', ooxml('docx', {}, { 'word/vbaProject.bin': 'x' }), project()],
      [
        'one by an escaped content type',
        overridden('/word/a.png', 'application/vnd.ms-office.vba&#80;roject'),
        project('word/a.png'),
      ],
      [
        'one by a content type with parameters',
        overridden('/word/a.png', 'application/vnd.ms-office.vbaProject; a=b'),
        project('word/a.png'),
      ],
      [
        'one by the content type of its extension',
        ooxml('docx', {}, { 'word/a.png': 'x', '[Content_Types].xml': defaulted }),
        project('*.PNG'),
      ],
      [
        'one by its relationship',
        ooxml('docx', {}, { 'word/a.png': 'x', 'word/_rels/document.xml.rels': related }),
        project('a.png'),
      ],
      [
        'a macro-enabled main part without a project',
        zip({ ...without(ooxmlParts('xlsm'), 'xl/vbaProject.bin'), '[Content_Types].xml': noProject }),
        { reason: 'macro_content_type', part: 'xl/workbook.xml' },
      ],
      [
        'Basic, which LibreOffice writes with document types',
        odf('odt', {}, { 'Basic/script-lc.xml': basicIndex }),
        { reason: 'basic', part: 'Basic/script-lc.xml' },
      ],
      [
        'a folder of scripts',
        odf('ods', {}, { 'Scripts/python/a.py': 'pass' }),
        { reason: 'scripts', part: 'Scripts/python/a.py' },
      ],
      ['Basic in a flat file', flatBasic(source), { reason: 'basic' }],
      ['but not the empty library that LibreOffice writes into each', flatBasic(''), null],
      ['nothing in a picture', ooxml('docx', {}, { 'word/a.png': 'x' }), null],
      ['nothing in an odt', odf('odt'), null],
      ['nothing in a doc', compound.doc(), null],
      ['nothing in an rtf', rtf(), null],
    ];
    for (const [what, content, macros] of MACROS) {
      it(what, async () => {
        const found = await look(content, 'a');
        expect(found).to.have.property('macros');
        if (macros) expect('macros' in found && found.macros).to.deep.include(macros);
        else expect('macros' in found && found.macros).to.equal(null);
      });
    }
  });
});
