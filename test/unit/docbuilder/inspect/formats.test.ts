import { expect } from 'chai';
import { MAIN_TYPES, type OoxmlFormat, ooxml, ooxmlParts, zip } from '../../../../scripts/support/documents.ts';
import * as compound from '../../../support/compound-files.ts';
import { corrupt, tempFolder, unsupported, verdict } from '../../../support/inspect.ts';
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

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const ENCRYPTION = '<manifest:encryption-data manifest:checksum="x"/>';

describe('inspecting a source file', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  before(async () => {
    folder = await tempFolder();
  });
  after(() => folder.remove());
  const look = async (content: string | Uint8Array, ...rest: [string?, object?]) =>
    verdict(await folder.file(content), ...rest);

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
        const { mimetype: _, ...without } = odfParts(format);
        expect(await look(odf(format), 'a.docx')).to.include({ format, encrypted: false });
        expect(await look(zip(without), 'a.docx')).to.include({ format, encrypted: false });
      });
    }

    for (const format of ['fodt', 'fods', 'fodp'] as const) {
      it(`${format}, also in UTF-16 and without an XML declaration`, async () => {
        const flat = flatOdf(format);
        const bare = flat.toString().replace(/^<\?xml.*?\?>\s*/, '');
        const wide = Buffer.from(`\ufeff${bare}`, 'utf16le');
        for (const content of [flat, bare, wide]) expect(await look(content, 'a.doc')).to.include({ format });
      });
    }

    for (const [format, make] of [
      ['doc', compound.doc],
      ['xls', compound.xls],
      ['ppt', compound.ppt],
    ] as const) {
      it(format, async () => {
        expect(await look(make(), 'a.docx')).to.include({ format, encrypted: false });
      });
    }

    const word = (ident: number, length = 5000) =>
      Buffer.concat([Buffer.from([ident & 255, ident >> 8, 0x2d]), Buffer.alloc(length)]);
    const old: [what: string, content: Buffer, format: string, generation: string | undefined][] = [
      ['Word 97', compound.compoundFile({ WordDocument: word(0xa5ec), '0Table': bof(9) }), 'doc', undefined],
      ['Word 6 and 95', compound.compoundFile({ WordDocument: word(0xa5dc) }), 'doc', 'word_6'],
      ['Word 2', word(0xa5db), 'doc', 'word_2'],
      ['Excel 97, named as other programs do', compound.compoundFile({ WORKBOOK: bof(9) }), 'xls', undefined],
      ['Excel 5 and 95', compound.compoundFile({ BOOK: bof(9) }), 'xls', 'excel_5'],
      ['Excel 4', Buffer.concat([Buffer.from([9, 4, 6, 0]), Buffer.alloc(20)]), 'xls', 'excel_4'],
      ['Excel 2', Buffer.concat([Buffer.from([9, 0, 4, 0]), Buffer.alloc(20)]), 'xls', 'excel_4'],
    ];
    for (const [what, content, format, generation] of old) {
      it(`${format} of ${what}`, async () => {
        const found = await look(content, 'a.docx');
        expect(found).to.include({ format, encrypted: false });
        expect('generation' in found ? found.generation : undefined).to.equal(generation);
      });
    }

    it('rtf', async () => {
      expect(await look(rtf(), 'a.doc')).to.include({ format: 'rtf' });
    });

    it('an OOXML package by its main part, not by the documents inside it', async () => {
      const types = String(ooxmlParts('docx')['[Content_Types].xml']);
      const withOther = types.replace(
        '<Override',
        `<Override PartName="/a.xml" ContentType="${MAIN_TYPES.xlsx}"/><Override`,
      );
      expect(await look(ooxml('docx', {}, { '[Content_Types].xml': withOther }))).to.include({ format: 'docx' });
    });
  });

  describe('lets the name decide where content cannot', () => {
    it('txt and csv', async () => {
      expect(await look(csv(), 'a.csv')).to.include({ format: 'csv' });
      expect(await look(csv(), 'a.TSV')).to.include({ format: 'csv' });
      expect(await look(csv(), 'a.txt')).to.include({ format: 'txt' });
      expect(await look(txt(), 'notes.log')).to.include({ format: 'txt' });
      expect(await look(txt())).to.include({ format: 'txt' });
    });

    it('`from` before the file name', async () => {
      expect(await look(csv(), 'a.txt', { from: 'csv' })).to.include({ format: 'csv' });
      expect(await look(csv(), undefined, { from: 'CSV' })).to.include({ format: 'csv' });
      expect(await look(ooxml('docx'), 'a.docx', { from: 'odt' })).to.include({ format: 'docx' });
    });

    it('a web page that is called text is text', async () => {
      expect(await look('<!DOCTYPE html><p>a</p>', 'a.txt')).to.include({ format: 'txt' });
      expect(await look('<?xml version="1.0"?><a/>', 'a.csv')).to.include({ format: 'csv' });
    });

    it('an encrypted OOXML package', async () => {
      const encrypted = compound.encryptedPackage();
      const format = async (name?: string, from?: string) =>
        look(encrypted, name, { hasPassword: true, ...(from && { from }) });
      expect(await format('a.xlsx')).to.include({ format: 'xlsx', encrypted: true });
      expect(await format('a.docm')).to.include({ format: 'docm' });
      expect(await format('a.xls')).to.include({ format: 'xlsx' });
      expect(await format(undefined, 'pptx')).to.include({ format: 'pptx' });
      expect(await format('a')).to.deep.equal({
        code: 'unsupported_format',
        detail: { from: 'encrypted', reason: 'from_required' },
      });
    });
  });

  describe('says what a file is instead', () => {
    const foreign: [what: string, content: string | Uint8Array, name: string, from: string, reason?: string][] = [
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
      ['binary workbook', workbook('application/vnd.ms-excel.sheet.binary.macroEnabled.main'), 'a.xlsx', 'xlsb'],
      ['OpenDocument drawing', zip({ mimetype: 'application/vnd.oasis.opendocument.graphics' }), 'a.odt', 'odg'],
      ['mail', compound.compoundFile({ '__properties_version1.0': Buffer.alloc(9) }), 'a.msg', 'msg'],
      ['presentation of PowerPoint 95', compound.compoundFile({ PP40: Buffer.alloc(9) }), 'a.ppt', 'ppt', 'version'],
      ['another compound file', compound.compoundFile({ Data: Buffer.alloc(9) }), 'a', 'ole'],
      ['program', Buffer.from('4d5a90000300000004000000', 'hex'), 'a.exe', 'exe'],
      ['unknown bytes', Buffer.from([1, 2, 3, 4]), 'a', 'binary'],
    ];
    for (const [what, content, name, from, reason] of foreign) {
      it(`${what}: unsupported_format from ${from}`, async () => {
        const detail = { from, ...(reason && { reason }) };
        expect(await look(content, name)).to.deep.equal({ code: 'unsupported_format', detail });
      });
    }

    it('a `from` that is no format', async () => {
      expect(await look(txt(), 'a.txt', { from: 'wordperfect' })).to.deep.equal(unsupported('wordperfect'));
      expect(await look(txt(), 'a.txt', { from: '__proto__' })).to.deep.equal(unsupported('__proto__'));
    });
  });

  describe('says that a file is not what it is called', () => {
    for (const name of ['docx', 'xlsx', 'doc', 'odp', 'rtf', 'fodt']) {
      it(`text called ${name}`, async () => {
        expect(await look(txt(), `a.${name}`)).to.deep.equal(corrupt(`not_${name}`));
        expect(await look(txt(), undefined, { from: name })).to.deep.equal(corrupt(`not_${name}`));
      });
    }

    it('random bytes and plain archives called docx', async () => {
      expect(await look(Buffer.from([0, 1, 2, 3]), 'a.docx')).to.deep.equal(corrupt('not_docx'));
      expect(await look(zip({ 'a.txt': 'a' }), 'a.docx')).to.deep.equal(corrupt('not_docx'));
    });

    it('a compound file without any stream of an office program', async () => {
      const file = compound.compoundFile({ Data: Buffer.alloc(9) });
      expect(await look(file, 'a.doc')).to.deep.equal(corrupt('not_doc'));
    });

    it('a compound file whose stream is not what its name says', async () => {
      const file = compound.compoundFile({ WordDocument: Buffer.alloc(5000) });
      expect(await look(file, 'a.doc')).to.deep.equal(corrupt('not_doc'));
    });

    it('an empty file, whatever it is called', async () => {
      for (const name of ['a.docx', 'a.txt', undefined]) expect(await look('', name)).to.deep.equal(corrupt('empty'));
    });
  });

  describe('knows before anybody opens it that a file needs a password', () => {
    const odt = zip({
      ...odfParts('odt'),
      'META-INF/manifest.xml': manifest(ODF_TYPES.odt, ENCRYPTION),
      'content.xml': PNG,
    });
    const whole = zip({
      mimetype: ODF_TYPES.ods,
      'encrypted-package': PNG,
      'META-INF/manifest.xml': manifest(ODF_TYPES.ods),
    });
    const files: [what: string, content: Buffer, name: string, format: string][] = [
      ['docx', compound.encryptedPackage(), 'a.docx', 'docx'],
      ['doc', compound.doc({ encrypted: true }), 'a.doc', 'doc'],
      ['odt with encrypted parts', odt, 'a.odt', 'odt'],
      ['ods encrypted as a whole', whole, 'a.ods', 'ods'],
    ];
    for (const [what, content, name, format] of files) {
      it(what, async () => {
        expect(await look(content, name)).to.deep.equal({ code: 'password_required', detail: { reason: 'missing' } });
        expect(await look(content, name, { hasPassword: true })).to.include({ format, encrypted: true });
      });
    }

    it('but not of a document that has a library of macros encrypted', async () => {
      const library = `<manifest:file-entry manifest:full-path="Basic/Standard/M.xml">${ENCRYPTION}</manifest:file-entry>`;
      const index = manifest(ODF_TYPES.odt).replace('</manifest:manifest>', `${library}</manifest:manifest>`);
      const content = zip({ ...odfParts('odt'), 'META-INF/manifest.xml': index, 'Basic/Standard/M.xml': PNG });
      expect(await look(content, 'a.odt')).to.include({ format: 'odt', encrypted: false });
    });

    it('but not of a workbook, which may have the password that Excel protects changes with', async () => {
      expect(await look(compound.xls({ encrypted: true }), 'a.xls')).to.include({ format: 'xls', encrypted: true });
      expect(await look(compound.encryptedPackage(), 'a.xlsx')).to.include({ format: 'xlsx', encrypted: true });
    });

    it('and that nothing opens an encrypted ppt', async () => {
      const refused = { code: 'unsupported_format', detail: { from: 'ppt', reason: 'encrypted' } };
      for (const hasPassword of [false, true]) {
        expect(await look(compound.ppt({ encrypted: true }), 'a.ppt', { hasPassword })).to.deep.equal(refused);
      }
    });

    it('and does not mind a password that is not needed', async () => {
      expect(await look(ooxml('docx'), 'a.docx', { hasPassword: true })).to.include({ encrypted: false });
    });
  });

  describe('reports macros (contract: macro_not_allowed)', () => {
    const macros = async (content: Uint8Array, name = 'a') => {
      const found = await look(content, name);
      return 'macros' in found ? found.macros : found;
    };

    it('a VBA project, by its part or its content type', async () => {
      const project = { reason: 'vba_project', part: 'word/vbaProject.bin' };
      expect(await macros(ooxml('docm'))).to.deep.equal(project);
      expect(await macros(ooxml('docx', {}, { 'word/vbaProject.bin': 'x' }))).to.deep.equal(project);
      const types = String(ooxmlParts('docx')['[Content_Types].xml']).replace(
        '<Override',
        '<Override PartName="/word/a.png" ContentType="application/vnd.ms-office.vba&#80;roject"/><Override',
      );
      expect(await macros(ooxml('docx', {}, { '[Content_Types].xml': types }))).to.deep.equal({
        reason: 'vba_project',
        part: 'word/a.png',
      });
    });

    it('a VBA project, by its relationship or a content type with parameters', async () => {
      const project = (extra: Record<string, string>) => macros(ooxml('docx', {}, { 'word/a.png': 'x', ...extra }));
      const types = String(ooxmlParts('docx')['[Content_Types].xml']).replace(
        '<Override',
        '<Override PartName="/word/a.png" ContentType="application/vnd.ms-office.vbaProject; a=b"/><Override',
      );
      const related =
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
        '<Relationship Id="a" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="a.png"/></Relationships>';
      expect(await project({ '[Content_Types].xml': types })).to.deep.include({ reason: 'vba_project' });
      expect(await project({ 'word/_rels/document.xml.rels': related })).to.deep.equal({
        reason: 'vba_project',
        part: 'a.png',
      });
      expect(await project({})).to.equal(null);
    });

    it('a macro-enabled main part without a project', async () => {
      const { 'xl/vbaProject.bin': _, ...parts } = ooxmlParts('xlsm');
      const types = String(parts['[Content_Types].xml']).replace(/<Override PartName="\/xl\/vbaProject[^>]*>/, '');
      expect(await macros(zip({ ...parts, '[Content_Types].xml': types }))).to.deep.equal({
        reason: 'macro_content_type',
        part: 'xl/workbook.xml',
      });
    });

    it('Basic and script folders of OpenDocument, which LibreOffice writes with document types', async () => {
      const library =
        '<?xml version="1.0"?>\n<!DOCTYPE library:libraries PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "libraries.dtd">\n<library:libraries xmlns:library="http://openoffice.org/2000/library"/>';
      expect(await macros(odf('odt', {}, { 'Basic/script-lc.xml': library }))).to.deep.equal({
        reason: 'basic',
        part: 'Basic/script-lc.xml',
      });
      expect(await macros(odf('ods', {}, { 'Scripts/python/a.py': 'pass' }))).to.deep.equal({
        reason: 'scripts',
        part: 'Scripts/python/a.py',
      });
    });

    it('Basic in a flat file, but not the empty library that LibreOffice writes into each', async () => {
      const library = (inside: string): Buffer =>
        Buffer.from(
          flatOdf('fodt')
            .toString()
            .replace(
              '<office:body',
              `<office:scripts><ooo:library-embedded>${inside}</ooo:library-embedded></office:scripts><office:body`,
            ),
        );
      expect(await macros(library('<ooo:module><ooo:source-code>Sub Main</ooo:source-code></ooo:module>'))).to.include({
        reason: 'basic',
      });
      expect(await macros(library(''))).to.equal(null);
    });

    it('nothing where there is nothing', async () => {
      for (const content of [ooxml('docx'), odf('odt'), compound.doc(), rtf()]) {
        expect(await macros(content)).to.equal(null);
      }
    });
  });

  it('finds a small stream of a compound file among many', async () => {
    const file = compound.compoundFile({ ...filler(40), 'Current User': Buffer.alloc(20), Workbook: bof(20) });
    expect(await look(file)).to.include({ format: 'xls' });
  });
});

function workbook(type: string): Buffer {
  const types = String(ooxmlParts('xlsx')['[Content_Types].xml']).replace(MAIN_TYPES.xlsx, type);
  return ooxml('xlsx', {}, { '[Content_Types].xml': types });
}

function filler(count: number): compound.Streams {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`S${index}`, Buffer.alloc(70 + index)]));
}

function bof(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt16LE(0x0809, 0);
  bytes.writeUInt16LE(length - 4, 2);
  return bytes;
}
