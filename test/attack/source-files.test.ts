import { open } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { ooxml, ooxmlParts, zip } from '../../scripts/support/documents.ts';
import * as compound from '../support/compound-files.ts';
import { useFolder } from '../support/folder.ts';
import {
  countBomb,
  docxEntries,
  ENTITY_BOMB,
  entityBomb,
  half,
  nestedArchive,
  nestedBomb,
  noise,
  overlapBomb,
  type RawEntry,
  ratioBomb,
  rawDocx,
  rawZip,
} from '../support/hostile.ts';
import { corrupt, verdict } from '../support/inspect.ts';
import { csv, flatOdf, odf, rtf } from '../support/open-documents.ts';
import { processorTime } from '../support/processor-time.ts';

describe('hostile source files', () => {
  const folder = useFolder();

  /** The verdict, which must come in under a second. */
  const look = async (content: string | Uint8Array, name = 'a.docx') => {
    const path = await folder.file(content);
    const spent = processorTime();
    const found = await verdict(path, name, { hasPassword: true });
    expect(spent(), 'milliseconds').to.be.lessThan(1000);
    return found;
  };

  describe('zip bombs are refused unopened', () => {
    const bombs: [what: string, make: () => Buffer][] = [
      ['one part that unpacks to 300 MiB', () => ratioBomb()],
      ['20,000 parts', () => countBomb()],
      ['archives in archives in archives', () => nestedArchive(3)],
      ['many archives that unpack to a little each', () => nestedBomb()],
      ['parts that share their bytes', () => overlapBomb()],
      [
        'a part that claims 3 GiB',
        () => rawDocx({ name: 'a.bin', content: '', packed: Buffer.alloc(17 << 20), size: 3 * 2 ** 30 }),
      ],
      [
        'content types of 5 MiB',
        () => ooxml('docx', {}, { '[Content_Types].xml': `<Types>${noise(5 << 20)}</Types>` }),
      ],
    ];
    for (const [what, make] of bombs) {
      it(what, async () => {
        expect(await look(make())).to.deep.equal(corrupt('zip_bomb'));
      });
    }

    it('which does not hit honest documents', async () => {
      const honest: [Buffer, string][] = [
        [zip(ooxmlParts('xlsx', { rows: 20_000, columns: 8 }), 9), 'xlsx'],
        [odf('ods', { rows: 100_000 }), 'ods'],
        [nestedArchive(1), 'docx'],
        [nestedArchive(2), 'docx'],
        [ooxml('docx', {}, { 'word/media/blank.bmp': Buffer.alloc(20 << 20) }), 'docx'],
      ];
      for (const [content, format] of honest) expect(await look(content)).to.include({ format });
    });
  });

  describe('archives that contradict themselves are refused', () => {
    const part = (entry: Partial<RawEntry>): Buffer => rawDocx({ name: 'word/a.bin', content: 'abc', ...entry });
    const archives: [what: string, content: Buffer][] = [
      ['half of one', half(ooxml('docx', { paragraphs: 50 }))],
      ['one without its last byte', ooxml('docx').subarray(0, -1)],
      ['nothing but a signature', Buffer.from('PK\x03\x04')],
      ['a part that is larger than it says', part({ content: 'x'.repeat(5000), name: '_rels/.rels', size: 10 })],
      ['a part that is smaller than it says', part({ name: '[Content_Types].xml', size: 9999 })],
      ['packed bytes far over the size that is told', part({ content: noise(90_000), size: 10 })],
      ['another name in the index than in the directory', part({ name: '[Content_Types].xml', localName: 'a' })],
      ['two parts of one name', rawZip([...docxEntries(), ...docxEntries()])],
      ['an encrypted part', part({ flags: 1 })],
      ['an unusual way of packing', part({ method: 12 })],
      ['a name that leaves the folder', part({ name: '../../etc/cron.d/a' })],
      ['an absolute name', part({ name: '/etc/passwd' })],
      ['a drive letter', part({ name: 'C:/a' })],
      ['a backslash', part({ name: 'word\\..\\a' })],
      ['a NUL in a name', part({ name: 'word/a\0.xml' })],
    ];
    for (const [what, content] of archives) {
      it(what, async () => {
        expect(await look(content)).to.deep.equal(corrupt('bad_archive'));
      });
    }
  });

  it('archives that only deviate are looked into, as LibreOffice opens them', async () => {
    const docx = ooxml('docx');
    const part = (entry: Partial<RawEntry>): Buffer => rawDocx({ name: 'word/a.bin', content: 'abc', ...entry });
    const archives: [what: string, content: Buffer][] = [
      ['a byte behind it', Buffer.concat([docx, Buffer.from('x')])],
      ['a line end behind it', Buffer.concat([docx, Buffer.from('\r\n')])],
      ['60 KB behind it', Buffer.concat([docx, Buffer.alloc(60_000)])],
      ['a line before it', Buffer.concat([Buffer.from('\r\n'), docx])],
      ['bytes before it', Buffer.concat([Buffer.alloc(300), docx])],
      ['another size in the part than in the directory', part({ localSize: 4 })],
      ['another name in a part on the side', part({ localName: 'word/b.bin' })],
      ['more parts than it counts', rawZip([...docxEntries(), { name: 'a', content: 'a' }], docxEntries().length)],
      ['a part called XML that is none', part({ name: '123.xml', content: 'abc' })],
      ['an empty prolog', part({ name: '123.xml', content: '<?xml version="1.0"?>' })],
    ];
    for (const [what, content] of archives) expect(await look(content), what).to.include({ format: 'docx' });
  });

  describe('document types are refused before a parser meets them', () => {
    const withPart = (name: string, content: string | Buffer): Buffer => ooxml('docx', {}, { [name]: content });
    const wide = (order: 'le' | 'be', xml: string): Buffer => {
      const bytes = Buffer.from(`\ufeff${xml}`, 'utf16le');
      return order === 'le' ? bytes : bytes.swap16();
    };
    const external = '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>';
    const openOffice = '<!DOCTYPE a PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "office.dtd"';
    const documents: [what: string, content: Buffer, name?: string][] = [
      ['an entity bomb in the main part', entityBomb()],
      ['an external entity', entityBomb('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>')],
      ['in a part on the side', withPart('word/styles.xml', `<?xml version="1.0"?>${external}`)],
      ['in relationships', withPart('word/_rels/document.xml.rels', external)],
      ['in a part that is not called XML', withPart('word/styles.bin', external)],
      ['behind 60 KB of comment', withPart('word/styles.xml', `<!-- ${noise(60_000)} -->${external}`)],
      ['behind blanks and instructions', withPart('word/styles.xml', `\ufeff\r\n <?a b?><!----> ${external}`)],
      ['in UTF-16', withPart('word/styles.xml', wide('le', external))],
      ['in UTF-16 the other way round', withPart('word/styles.xml', wide('be', external))],
      ['in a document in the document', withPart('word/embeddings/a.docx', entityBomb())],
      ['OpenDocument', odf('odt', {}, { 'styles.xml': external })],
      [
        'OpenDocument, the kind it once had, declaring entities',
        odf('odt', {}, { 'a.xml': `${openOffice} [<!ENTITY a "b">]><a/>` }),
      ],
      ['OOXML, the kind OpenDocument once had', withPart('word/styles.xml', `${openOffice}><a/>`)],
      ['flat OpenDocument', flatOdf('fodt', {}, ENTITY_BOMB), 'a.fodt'],
    ];
    for (const [what, content, name] of documents) {
      it(what, async () => {
        expect(await look(content, name)).to.deep.equal(corrupt('doctype'));
      });
    }

    it('a character set that can hide one is refused', async () => {
      const hidden = '<?xml version="1.0" encoding="UTF-7"?><!-- +AC0ALQA+- +ADwAIQ-DOCTYPE a+AD4- --><a/>';
      expect(await look(withPart('word/styles.xml', hidden))).to.deep.equal(corrupt('malformed_xml'));
      expect(await look(withPart('word/styles.xml', Buffer.from([0x4c, 0x6f, 0xa7, 0x94])))).to.deep.equal(
        corrupt('malformed_xml'),
      );
    });

    it('a prolog without end is refused', async () => {
      expect(await look(withPart('word/styles.xml', `<!-- ${noise(300_000)}`))).to.deep.equal(corrupt('malformed_xml'));
      expect(await look(withPart('word/styles.xml', ' '.repeat(20 << 20)))).to.deep.equal(corrupt('malformed_xml'));
    });

    it('pictures and old manifests may have one', async () => {
      const svg = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><svg/>';
      expect(await look(withPart('word/media/a.svg', svg))).to.include({ format: 'docx' });
      const old = odf('odt', {}, { 'Configurations2/toolbar/a.xml': `${openOffice}><a/>` });
      expect(await look(old)).to.include({ format: 'odt' });
    });
  });

  describe('compound files that run in circles or end early are refused', () => {
    const doc = compound.doc();
    const patched = (offset: number, value: number): Buffer => {
      const copy = Buffer.from(doc);
      copy.writeUInt32LE(value, offset);
      return copy;
    };
    const fat = 512 + doc.readUInt32LE(76) * 512;
    const files: [what: string, content: Buffer][] = [
      ['half of one', half(doc)],
      ['nothing but a header', doc.subarray(0, 512)],
      ['nothing but a signature', doc.subarray(0, 8)],
      ['a table that is not there', patched(76, 0x00fffff0)],
      ['a stream behind its end', patched(fat + 3 * 4, 0x00fffff0)],
      ['a directory that is not there', patched(48, 0x7fffffff)],
    ];
    for (const [what, content] of files) {
      it(what, async () => {
        expect(await look(content, 'a.doc')).to.deep.equal(corrupt('bad_compound_file'));
      });
    }

    it('but not ones whose tables are rubbish where they stand for nothing', async () => {
      const harmless: [what: string, content: Buffer][] = [
        ['sectors behind its end', patched(fat + 127 * 4, 0xfffffffe)],
        ['a directory that follows itself', patched(fat + doc.readUInt32LE(48) * 4, doc.readUInt32LE(48))],
        ['a table of four thousand million sectors', patched(44, 0xfffffff0)],
      ];
      for (const [what, content] of harmless) expect(await look(content, 'a.doc'), what).to.include({ format: 'doc' });
    });
  });

  it('a document changed or cut anywhere gets a verdict, never another error, and soon', async function () {
    this.timeout(30_000);
    const documents = [
      ooxml('docx', { paragraphs: 3 }),
      ooxml('xlsm'),
      odf('odp'),
      nestedArchive(1),
      flatOdf('fods'),
      rtf(),
      csv(),
      compound.doc(),
      compound.xls(),
      compound.ppt({ encrypted: true }),
      compound.encryptedPackage(),
      rawDocx({ name: 'word/a.bin', content: 'abc' }),
    ];
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      // Tables and directories are at the ends.
      end: fc.boolean(),
      byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0xff), fc.nat(255)),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...documents),
        fc.array(change, { minLength: 1, maxLength: 12 }),
        fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.constantFrom('a.docx', 'a.txt', 'a.csv', 'a', 'a.xls'),
        async (document, changes, cut, name) => {
          const copy = Buffer.from(document);
          for (const { at, end, byte } of changes) {
            const span = end ? Math.min(120, copy.length) : copy.length;
            copy[copy.length - span + Math.floor(at * (span - 1))] = byte;
          }
          const kept = cut === null ? copy : copy.subarray(0, Math.floor(cut * copy.length));
          expect(await look(kept, name)).to.satisfy((found: object) => 'format' in found || 'code' in found);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('tags and attributes without end cost no more than their length', async () => {
    for (const text of ['<Override ', '<Override a="', `<Override ${'a'.repeat(1000)}`, '<a:a:a', 'a=\'b="']) {
      const types = text.repeat((2 << 20) / text.length);
      expect(
        await look(ooxml('docx', {}, { '[Content_Types].xml': `<?xml version="1.0"?><Types>${types}` }), 'a'),
      ).to.have.property('code');
    }
  });

  it('a file of 300 MiB is looked into without being read into memory', async function () {
    this.timeout(10_000);
    const path = folder.at('sparse.xls');
    const file = await open(path, 'w');
    await file.write(compound.xls());
    await file.truncate(300 * 1024 * 1024);
    await file.close();
    const before = process.memoryUsage().rss;
    expect(await verdict(path, 'a.xls')).to.include({ format: 'xls' });
    expect(process.memoryUsage().rss - before).to.be.lessThan(100 * 1024 * 1024);
  });
});
