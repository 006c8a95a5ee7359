import { deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { createSourceThreads, type SourceThreads } from '../../cmd/docbuilder/source/source-threads.ts';
import { MAIN_TYPES, ooxml } from '../../scripts/support/documents.ts';
import { useFolder } from '../support/folder.ts';
import { noise, rawDocx } from '../support/hostile.ts';
import { corrupt, verdict } from '../support/inspect.ts';
import { manifest, ODF_TYPES, odf } from '../support/open-documents.ts';
import { processorTime } from '../support/processor-time.ts';
import { longestWait } from '../support/turns.ts';

const OPTIONS = { filename: 'a.docx', hasPassword: false };

describe('hostile packages', () => {
  const folder = useFolder();
  let threads: SourceThreads;
  before(() => {
    threads = createSourceThreads();
  });
  after(() => threads.stop());
  const look = async (content: Uint8Array, name = 'a.docx') => verdict(await folder.file(content), name);

  describe('what says that a document has macros cannot be hidden', () => {
    const { docm, docx } = MAIN_TYPES;
    const override = (attributes: string, prefix = '') =>
      `<${prefix}Override PartName="/word/document.xml" ${attributes}/>`;
    const types = (inside: string, prefix = '') =>
      `<?xml version="1.0"?><${prefix}Types xmlns${prefix && ':'}${prefix.slice(0, -1)}="http://schemas.openxmlformats.org/package/2006/content-types">` +
      `<${prefix}Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${inside}</${prefix}Types>`;
    const plain = types(override(`ContentType="${docm}"`));
    const disguises: [what: string, part: string | Buffer][] = [
      ['by a > in a value', types(override(`xmlns:a="u>v" ContentType="${docm}"`))],
      ['by a > in single quotes', types(`<Override a='>' PartName='/word/document.xml' ContentType='${docm}'/>`)],
      ['by a prefix', types(override(`ContentType="${docm}"`, 'ct:'), 'ct:')],
      ['by character references', types(override(`ContentType="${docm.replace('macroE', '&#x6d;acro&#69;')}"`))],
      ['by an entity', types(override(`ContentType="${docm}" a="&lt;&gt;&quot;"`))],
      ['by line ends', types(`<Override\n\tPartName\n=\n"/word/document.xml"\nContentType\n=\n"${docm}"\n/>`)],
      [
        'by an attribute of another namespace',
        types(override(`xmlns:a="u" a:ContentType="${docx}" ContentType="${docm}"`)),
      ],
      [
        'by a comment with something else',
        types(`<!-- ${override(`ContentType="${docx}"`)} -->${override(`ContentType="${docm}"`)}`),
      ],
      ['in UTF-16', Buffer.from(`\ufeff${plain}`, 'utf16le')],
      ['in UTF-16 the other way round', Buffer.from(`\ufeff${plain}`, 'utf16le').swap16()],
      ['in UTF-16 without a mark', Buffer.from(plain, 'utf16le')],
      ['as a default', types(`<Default Extension="xml" a=">" ContentType="${docm}"/>`)],
    ];
    for (const [what, part] of disguises) {
      it(what, async () => {
        const found = await look(ooxml('docx', {}, { '[Content_Types].xml': part }));
        expect(found).to.have.nested.property('macros.reason', 'macro_content_type');
        expect(found).to.include({ format: 'docm' });
      });
    }

    it('by being no XML', async () => {
      for (const part of [
        plain.replace('</Types>', ''),
        plain.replace('"/>', '"'),
        plain.replace('<Types', '<x:Types'),
      ]) {
        expect(await look(ooxml('docx', {}, { '[Content_Types].xml': part }))).to.deep.equal(corrupt('malformed_xml'));
      }
      const deep = types('<a>'.repeat(200_000));
      expect(await look(ooxml('docx', {}, { '[Content_Types].xml': deep }))).to.deep.equal(corrupt('malformed_xml'));
      const wide = types(`<a ${Array.from({ length: 200_000 }, (_, index) => `a${index}=""`).join(' ')}/>`);
      expect(await look(ooxml('docx', {}, { '[Content_Types].xml': wide }))).to.deep.equal(corrupt('malformed_xml'));
      const many = types('<Default Extension="a" ContentType="b"/>'.repeat(100_000));
      expect(await look(ooxml('docx', {}, { '[Content_Types].xml': many }))).to.deep.equal(corrupt('zip_bomb'));
    });

    it('nor does a comment make a document an encrypted one, which nobody looks into', async () => {
      const decoy = manifest(ODF_TYPES.odt, '<!-- <manifest:encryption-data/> -->');
      const parts = { 'META-INF/manifest.xml': decoy, 'styles.xml': '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>' };
      expect(await look(odf('odt', {}, parts), 'a.odt')).to.deep.equal(corrupt('doctype'));
    });
  });

  describe('parts that unpack to much for a little', () => {
    const never = new AbortController().signal;
    const mebibyte = 1 << 20;
    /** A part whose head ends within a comment, `packed` bytes of it. */
    const bombs = (count: number, content: Buffer, packedBytes: number, size: number): Buffer => {
      const packed = deflateRawSync(content).subarray(0, packedBytes);
      return rawDocx(
        ...Array.from({ length: count }, (_, index) => ({ name: `word/${index}.bin`, content: '', packed, size })),
      );
    };

    it('are not unpacked beyond what they say they are', async () => {
      const blanks = Buffer.concat([Buffer.from('<!-- '), Buffer.alloc(66 * mebibyte, ' ')]);
      const path = await folder.file(bombs(200, blanks, 64 * 1024, 100_000));
      const spent = processorTime();
      expect(await verdict(path, 'a.docx')).to.deep.equal(corrupt('bad_archive'));
      expect(spent()).to.be.lessThan(500);
    });

    it('are not unpacked beyond their head, and let others have their turn', async function () {
      this.timeout(30_000);
      const line = Buffer.concat([Buffer.from(noise(1100)), Buffer.alloc(180_000, ' ')]);
      const content = Buffer.concat([Buffer.from('<!-- '), ...Array.from({ length: 70 }, () => line)]);
      const path = await folder.file(bombs(105, content, Number.POSITIVE_INFINITY, content.length));
      const { outcome, longest } = await longestWait(() => threads.inspect(path, OPTIONS, never));
      expect(outcome).to.include({ format: 'docx' });
      expect(longest).to.be.lessThan(500);
    });

    it('end when nobody waits for them any more', async () => {
      const content = Buffer.from(`<!-- ${noise(2000)} --><a/>`);
      const path = await folder.file(bombs(9000, content, Number.POSITIVE_INFINITY, content.length));
      const signal = AbortSignal.timeout(20);
      const outcome = await threads.inspect(path, OPTIONS, signal).catch((error: unknown) => error);
      expect(outcome).to.equal(signal.reason);
    });
  });
});
