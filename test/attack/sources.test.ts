import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { constants, deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { ARCHIVE_LIMITS, admitEntry, newBudget } from '../../cmd/docbuilder/source/inspect/zip.ts';
import { createSourceThreads } from '../../cmd/docbuilder/source/source-threads.ts';
import { MAIN_TYPES, ooxml, ooxmlParts, zip } from '../../scripts/support/documents.ts';
import * as compound from '../support/compound-files.ts';
import { useFolder } from '../support/folder.ts';
import * as hostile from '../support/hostile.ts';
import { corrupt, verdict } from '../support/inspect.ts';
import { csv, flatOdf, manifest, ODF_TYPES, odf, rtf } from '../support/open-documents.ts';
import { processorTime } from '../support/processor-time.ts';
import { longestWait } from '../support/turns.ts';

const { docxEntries, half, nestedArchive, noise, rawDocx, rawZip } = hostile;
const TYPES = '[Content_Types].xml';
const MiB = 1 << 20;
const { docm, docx } = MAIN_TYPES;

const raw = (entry: Partial<hostile.RawEntry>) => rawDocx({ name: 'word/a.bin', content: 'abc', ...entry });
const withPart = (name: string, content: string | Buffer) => ooxml('docx', {}, { [name]: content });
const incompressible = randomBytes(20_000);
const wide = (xml: string) => Buffer.from(`\ufeff${xml}`, 'utf16le');

/** A docx with a comment of the archive (APPNOTE.TXT, section 4.3.16) and another byte behind it. */
function withComment(comment: string): Buffer {
  const file = ooxml('docx');
  file.writeUInt16LE(comment.length, file.length - 2);
  return Buffer.concat([file, Buffer.from(`${comment}x`)]);
}

/** Packs bytes in many small blocks, which makes them more, as .NET Framework 4.0 does. */
function packInSmallBlocks(content: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < content.length; at += 10)
    blocks.push(deflateRawSync(content.subarray(at, at + 10), { finishFlush: constants.Z_SYNC_FLUSH }));
  return Buffer.concat([...blocks, deflateRawSync(Buffer.alloc(0))]);
}

const BOMBS: Case[] = [
  ['one part that unpacks to 300 MiB', () => hostile.ratioBomb()],
  ['20,000 parts', () => hostile.countBomb()],
  ['archives in archives in archives', () => nestedArchive(3)],
  ['many archives that unpack to a little each', () => hostile.nestedBomb()],
  ['parts that share their bytes', () => hostile.overlapBomb()],
  ['a part that claims 3 GiB', () => raw({ packed: Buffer.alloc(17 * MiB), size: 3 * 1024 * MiB })],
  ['content types of 5 MiB', () => withPart(TYPES, `<Types>${noise(5 * MiB)}</Types>`)],
];

const CONTRADICTIONS: Case[] = [
  ['half of one', () => half(ooxml('docx', { paragraphs: 50 }))],
  ['one without its last byte', () => ooxml('docx').subarray(0, -1)],
  ['nothing but a signature', () => Buffer.from('PK\x03\x04')],
  ['a part that is larger than it says', () => raw({ content: 'x'.repeat(5000), name: '_rels/.rels', size: 10 })],
  ['a part that is smaller than it says', () => raw({ name: TYPES, size: 9999 })],
  ['packed bytes far over the size that is told', () => raw({ content: noise(90_000), size: 10 })],
  ['another name in the index than in the directory', () => raw({ name: TYPES, localName: 'a' })],
  ['two parts of one name', () => rawZip([...docxEntries(), ...docxEntries()])],
  ['an encrypted part', () => raw({ flags: 1 })],
  ...[1, 9, 12, 14, 93, 95].map((method): Case => [`a part packed by method ${method}`, () => raw({ method })]),
  ...['../../etc/cron.d/a', 'a/../b', '/etc/passwd', 'C:/a', 'word\\..\\a', 'word/a\0.xml'].map(
    (name): Case => [`a part called ${JSON.stringify(name)}`, () => raw({ name })],
  ),
];

const mainPartCalled = (name: string) =>
  `<Relationships><Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${name}"/></Relationships>`;

const DEVIATIONS: Case[] = [
  [
    'a part that packing made larger',
    () => raw({ content: incompressible, packed: packInSmallBlocks(incompressible) }),
  ],
  ['a byte behind it', () => Buffer.concat([ooxml('docx'), Buffer.from('x')])],
  ['a line end behind it', () => Buffer.concat([ooxml('docx'), Buffer.from('\r\n')])],
  ['60 KB behind it', () => Buffer.concat([ooxml('docx'), Buffer.alloc(60_000)])],
  ['a comment of three letters, and a byte behind it', () => withComment('abc')],
  ['a line before it', () => Buffer.concat([Buffer.from('\r\n'), ooxml('docx')])],
  ['bytes before it', () => Buffer.concat([Buffer.alloc(300), ooxml('docx')])],
  ['another size in the part than in the directory', () => raw({ localSize: 4 })],
  ['another name in a part on the side', () => raw({ localName: 'word/b.bin' })],
  ['more parts than it counts', () => rawZip([...docxEntries(), { name: 'a', content: 'a' }], docxEntries().length)],
  ['stored parts', () => raw({ method: 0 })],
  ['dots in a name', () => raw({ name: 'a/..b.xml' })],
  ['a part called XML that is none', () => raw({ name: '123.xml', content: 'abc' })],
  ['a part called XML that begins like none', () => raw({ name: '123.xml', content: '<1' })],
  ['an empty prolog', () => raw({ name: '123.xml', content: '<?xml version="1.0"?>' })],
  ['a main part with a name of 50 KB', () => withPart('_rels/.rels', mainPartCalled(`${'a'.repeat(50_000)}/b`))],
  ['a picture with a document type', () => withPart('word/media/a.svg', '<!DOCTYPE svg PUBLIC "a" "b"><svg/>')],
];

const EXTERNAL = '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>';
const OPEN_OFFICE = '<!DOCTYPE a PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "office.dtd"';
const DOCTYPES: Case[] = [
  ['an entity bomb in the main part', () => hostile.entityBomb()],
  ['an external entity', () => hostile.entityBomb('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>')],
  ['in a part on the side', () => withPart('word/styles.xml', `<?xml version="1.0"?>${EXTERNAL}`)],
  ['in small letters', () => withPart('word/styles.xml', EXTERNAL.toLowerCase())],
  ['in relationships', () => withPart('word/_rels/document.xml.rels', EXTERNAL)],
  ['in a part that is not called XML', () => withPart('word/styles.bin', EXTERNAL)],
  ['behind 10 KB of comment', () => withPart('word/styles.xml', `<!-- ${noise(10_000)} -->${EXTERNAL}`)],
  ['behind blanks and instructions', () => withPart('word/styles.xml', `\ufeff\r\n <?a b?><!----> ${EXTERNAL}`)],
  ['in UTF-16', () => withPart('word/styles.xml', wide(EXTERNAL))],
  ['in UTF-16 the other way round', () => withPart('word/styles.xml', wide(EXTERNAL).swap16())],
  ['in a document in the document', () => withPart('word/embeddings/a.docx', hostile.entityBomb())],
  ['OpenDocument', () => odf('odt', {}, { 'styles.xml': EXTERNAL })],
  ['the kind it once had, with entities', () => odf('odt', {}, { 'a.xml': `${OPEN_OFFICE} [<!ENTITY a "b">]><a/>` })],
  ['OOXML, the kind OpenDocument once had', () => withPart('word/styles.xml', `${OPEN_OFFICE}><a/>`)],
  ['flat OpenDocument', () => flatOdf('fodt', {}, hostile.ENTITY_BOMB), 'a.fodt'],
  [
    'an odt whose comment says that it is encrypted, which nobody looks into',
    () => {
      const decoy = manifest(ODF_TYPES.odt, '<!-- <manifest:encryption-data/> -->');
      return odf('odt', {}, { 'META-INF/manifest.xml': decoy, 'styles.xml': EXTERNAL });
    },
  ],
];

const OPC = 'http://schemas.openxmlformats.org/package/2006/content-types';
const override = (attributes: string, prefix = '') =>
  `<${prefix}Override PartName="/word/document.xml" ${attributes}/>`;
const types = (inside: string, prefix = '') =>
  `<?xml version="1.0"?><${prefix}Types xmlns${prefix && ':'}${prefix.slice(0, -1)}="${OPC}">` +
  `<${prefix}Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${inside}</${prefix}Types>`;
const PLAIN = types(override(`ContentType="${docm}"`));
const DISGUISES: [what: string, part: string | Buffer][] = [
  ['by a > in a value', types(override(`xmlns:a="u>v" ContentType="${docm}"`))],
  ['by a > in single quotes', types(`<Override a='>' PartName='/word/document.xml' ContentType='${docm}'/>`)],
  ['by a prefix', types(override(`ContentType="${docm}"`, 'ct:'), 'ct:')],
  ['by character references', types(override(`ContentType="${docm.replace('macroE', '&#x6d;acro&#69;')}"`))],
  ['by an entity', types(override(`ContentType="${docm}" a="&lt;&gt;&quot;"`))],
  ['by line ends', types(`<Override\n\tPartName\n=\n"/word/document.xml"\nContentType\n=\n"${docm}"\n/>`)],
  ['by another namespace', types(override(`xmlns:a="u" a:ContentType="${docx}" ContentType="${docm}"`))],
  ['by a comment', types(`<!-- ${override(`ContentType="${docx}"`)} -->${override(`ContentType="${docm}"`)}`)],
  ['in UTF-16', wide(PLAIN)],
  ['in UTF-16 the other way round', wide(PLAIN).swap16()],
  ['in UTF-16 without a mark', Buffer.from(PLAIN, 'utf16le')],
  ['as a default', types(`<Default Extension="xml" a=">" ContentType="${docm}"/>`)],
];

const UTF_7 = '<?xml version="1.0" encoding="UTF-7"?><!-- +AC0ALQA+- +ADwAIQ-DOCTYPE a+AD4- --><a/>';
const MALFORMED: Case[] = [
  ['content types that end early', () => withPart(TYPES, PLAIN.replace('</Types>', ''))],
  ['content types with half a tag', () => withPart(TYPES, PLAIN.replace('"/>', '"'))],
  ['content types under an unknown prefix', () => withPart(TYPES, PLAIN.replace('<Types', '<x:Types'))],
  ['content types 200,000 deep', () => withPart(TYPES, types('<a>'.repeat(200_000)))],
  [
    '200,000 attributes',
    () => withPart(TYPES, types(`<a ${Array.from({ length: 200_000 }, (_, index) => `a${index}=""`).join(' ')}/>`)),
  ],
  ['a character set that can hide a document type', () => withPart('word/styles.xml', UTF_7)],
  ['another', () => withPart('word/styles.xml', Buffer.from([0x4c, 0x6f, 0xa7, 0x94]))],
  ['60 KB of comment', () => withPart('word/styles.xml', `<!-- ${noise(60_000)} --><a/>`)],
  ['a comment without end', () => withPart('word/styles.xml', `<!-- ${noise(300_000)}`)],
  ['blanks without end', () => withPart('word/styles.xml', ' '.repeat(20 * MiB))],
  ...['<!DOCT', '<!-', '<?a'].map(
    (end): Case => [
      `a prolog that ends in ${end}`,
      () => withPart('word/styles.xml', `${' '.repeat(64 * 1024 - end.length)}${end}${noise(100)}`),
    ],
  ),
];

const DOC = compound.doc();
const FAT = 512 + DOC.readUInt32LE(76) * 512;
const DIRECTORY = DOC.readUInt32LE(48);
const patched = (offset: number, value: number): Buffer => {
  const copy = Buffer.from(DOC);
  copy.writeUInt32LE(value, offset);
  return copy;
};
/** A compound file of nothing but lists of the table's sectors, which name none: each says which one is the next. */
function onlyLists(...next: number[]): Buffer {
  const header = Buffer.from(DOC.subarray(0, 512)).fill(0xff, 76);
  header.writeUInt32LE(0, 68);
  const lists = next.map((sector) => {
    const list = Buffer.alloc(512, 0xff);
    list.writeUInt32LE(sector, 508);
    return list;
  });
  return Buffer.concat([header, ...lists]);
}
const COMPOUND: Case[] = [
  ['half of one', () => half(DOC), 'a.doc'],
  ['nothing but a header', () => DOC.subarray(0, 512), 'a.doc'],
  ['nothing but a signature', () => DOC.subarray(0, 8), 'a.doc'],
  ['a table that is not there', () => patched(76, 0x00fffff0), 'a.doc'],
  ['a stream behind its end', () => patched(FAT + 3 * 4, 0x00fffff0), 'a.doc'],
  ['a directory that is not there', () => patched(48, 0x7fffffff), 'a.doc'],
  ['a list of the table that follows itself', () => onlyLists(0), 'a.doc'],
  ['lists of the table that follow one another', () => onlyLists(1, 0), 'a.doc'],
];
const HARMLESS: Case[] = [
  ['sectors behind its end', () => patched(FAT + 127 * 4, 0xfffffffe), 'a.doc'],
  ['a directory that follows itself', () => patched(FAT + DIRECTORY * 4, DIRECTORY), 'a.doc'],
  ['a table of four thousand million sectors', () => patched(44, 0xfffffff0), 'a.doc'],
];

type Case = [what: string, make: () => Buffer, name?: string];

describe('hostile source files', () => {
  const folder = useFolder();
  const threads = createSourceThreads();
  after(() => threads.stop());
  const never = new AbortController().signal;

  /** The verdict, which must come in under a second. */
  const look = async (content: string | Uint8Array, name = 'a.docx') => {
    const path = await folder.file(content);
    const spent = processorTime();
    const found = await verdict(path, name, { hasPassword: true });
    expect(spent(), 'milliseconds').to.be.lessThan(1000);
    return found;
  };

  for (const [about, cases, expected] of [
    ['zip bombs are refused unopened', BOMBS, corrupt('zip_bomb')],
    ['archives that contradict themselves are refused', CONTRADICTIONS, corrupt('bad_archive')],
    ['archives that only deviate are looked into, as LibreOffice opens them', DEVIATIONS, { format: 'docx' }],
    ['document types are refused before a parser meets them', DOCTYPES, corrupt('doctype')],
    ['what is no XML, or hides what it is, is refused', MALFORMED, corrupt('malformed_xml')],
    ['compound files that run in circles or end early are refused', COMPOUND, corrupt('bad_compound_file')],
    ['but not ones whose tables are rubbish where they stand for nothing', HARMLESS, { format: 'doc' }],
  ] as const) {
    describe(about, () => {
      for (const [what, make, name] of cases) {
        it(what, async () => expect(await look(make(), name)).to.deep.include(expected));
      }
    });
  }

  it('what says that a document has macros cannot be hidden', async () => {
    for (const [what, part] of DISGUISES) {
      const found = await look(withPart(TYPES, part));
      expect(found, what).to.have.nested.property('macros.reason', 'macro_content_type');
      expect(found, what).to.include({ format: 'docm' });
    }
    const many = types('<Default Extension="a" ContentType="b"/>'.repeat(100_000));
    expect(await look(withPart(TYPES, many))).to.deep.equal(corrupt('zip_bomb'));
  });

  it('honest documents are no bombs, and old manifests may have a document type', async () => {
    const honest: [Buffer, string][] = [
      [zip(ooxmlParts('xlsx', { rows: 8_000, columns: 8 }), 9), 'xlsx'],
      [odf('ods', { rows: 30_000 }), 'ods'],
      [nestedArchive(1), 'docx'],
      [nestedArchive(2), 'docx'],
      [ooxml('docx', {}, { 'word/media/blank.bmp': Buffer.alloc(20 * MiB) }), 'docx'],
      [odf('odt', {}, { 'Configurations2/toolbar/a.xml': `${OPEN_OFFICE}><a/>` }), 'odt'],
    ];
    for (const [content, format] of honest) expect(await look(content)).to.include({ format });
  });

  const { entries, bytes, denseBytes } = ARCHIVE_LIMITS;
  const dense: Sizes = [denseBytes, 1000];
  const full: Sizes = [bytes, bytes / 100];
  for (const [what, list, isAdmitted] of [
    ['packed to twice what it is and a little more', [[1000, 3024]], true],
    ['packed to much more than it is', [[1000, 3025]], false],
    ['as many as may be', Array(entries).fill([20, 10]), true],
    ['one more', Array(entries + 1).fill([20, 10]), false],
    ['as many bytes as may be', [full], true],
    ['one more byte', [full, [1, 1]], false],
    ['as many dense bytes as may be, and others', [dense, [200, 1]], true],
    ['more dense bytes', [dense, [201, 1]], false],
  ] as [string, Sizes[], boolean][]) {
    it(`entries of an archive: ${what}: ${isAdmitted ? 'admitted' : 'refused'}`, () => {
      const budget = newBudget();
      const admit = () => {
        for (const [uncompressedSize, compressedSize] of list) {
          const entry = { fileName: 'a', compressionMethod: 8, isEncrypted: () => false };
          admitEntry({ ...entry, uncompressedSize, compressedSize }, budget);
        }
      };
      if (isAdmitted) admit();
      else expect(admit).to.throw();
    });
  }

  it('a document changed or cut anywhere gets a verdict, never another error, and soon', async () => {
    const documents = [
      ...[ooxml('docx', { paragraphs: 3 }), ooxml('xlsm'), odf('odp'), nestedArchive(1), flatOdf('fods'), rtf(), csv()],
      ...[DOC, compound.xls(), compound.ppt({ encrypted: true }), compound.encryptedPackage(), raw({})],
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
  }).timeout(30_000);

  it('tags and attributes without end cost no more than their length', async () => {
    for (const text of ['<Override ', '<Override a="', `<Override ${'a'.repeat(1000)}`, '<a:a:a', 'a=\'b="']) {
      const endless = text.repeat((2 * MiB) / text.length);
      const content = withPart(TYPES, `<?xml version="1.0"?><Types>${endless}`);
      expect(await look(content, 'a')).to.have.property('code');
    }
  });

  it('a file of 300 MiB is looked into without being read into memory', async () => {
    const path = folder.at('sparse.xls');
    const file = await open(path, 'w');
    await file.write(compound.xls());
    await file.truncate(300 * MiB);
    await file.close();
    const before = process.memoryUsage().rss;
    expect(await verdict(path, 'a.xls')).to.include({ format: 'xls' });
    expect(process.memoryUsage().rss - before).to.be.lessThan(100 * MiB);
  });

  describe('parts that unpack to much for a little', () => {
    const options = { filename: 'a.docx', hasPassword: false };
    /** Parts whose head ends within a comment, `packedBytes` bytes of it. */
    const bombs = (count: number, content: Buffer, size = content.length, packedBytes = Number.POSITIVE_INFINITY) => {
      const packed = deflateRawSync(content).subarray(0, packedBytes);
      const names = Array.from({ length: count }, (_, index) => `word/${index}.bin`);
      return folder.file(rawDocx(...names.map((name) => ({ name, content: '', packed, size }))));
    };

    it('are not unpacked beyond what they say they are', async () => {
      const blanks = Buffer.concat([Buffer.from('<!-- '), Buffer.alloc(66 * MiB, ' ')]);
      const path = await bombs(200, blanks, 100_000, 64 * 1024);
      const spent = processorTime();
      expect(await verdict(path, 'a.docx')).to.deep.equal(corrupt('bad_archive'));
      expect(spent()).to.be.lessThan(500);
    });

    it('are not unpacked beyond their head, and let others have their turn', async () => {
      const line = Buffer.concat([Buffer.from(noise(1100)), Buffer.alloc(180_000, ' ')]);
      const path = await bombs(105, Buffer.concat([Buffer.from('<!-- '), ...Array<Buffer>(70).fill(line)]));
      const { outcome, longest } = await longestWait(() => threads.inspect(path, options, never));
      expect(outcome).to.include({ format: 'docx' });
      expect(longest).to.be.lessThan(500);
    }).timeout(30_000);
  });
});

type Sizes = [uncompressed: number, compressed: number];
