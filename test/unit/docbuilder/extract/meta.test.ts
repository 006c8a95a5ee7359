import { expect } from 'chai';
import type { MetaOptions } from '../../../../cmd/docbuilder/extract/facts.ts';
import { createFonts, pattern } from '../../../../cmd/docbuilder/extract/fonts.ts';
import { charactersOf } from '../../../../cmd/docbuilder/extract/usage.ts';
import { zip } from '../../../../scripts/support/documents.ts';
import type { ExtractedMeta } from '../../../../src/common/generated/wire.ts';
import { compoundFile, type Properties, propertySet } from '../../../support/compound-files.ts';
import { extractor, flatOf, NAMESPACES, type Pieces, withFile } from './flat.ts';

const FACTS = { format: 'docx', encrypted: true, macros: true, size: 123, pages: 2 } as const;

function meta(
  family: 'text' | 'sheet' | 'slides',
  pieces: Pieces,
  facts: Partial<MetaOptions['facts']> = {},
): Promise<ExtractedMeta> {
  return withFile(flatOf(family, pieces), (path) => extractor.meta(path, family, { facts: { ...FACTS, ...facts } }));
}

const names = ({ fonts }: ExtractedMeta) => fonts.map(({ name }) => name);
const face = (name: string, family = name) => `<style:font-face style:name="${name}" svg:font-family="${family}"/>`;
const style = (family: string, name: string, properties: string, more = '') =>
  `<style:style style:name="${name}" style:family="${family}"${more}><style:text-properties ${properties}/></style:style>`;

describe('facts about documents', () => {
  it('are what meta.xml says, with what the caller knows', async () => {
    const found = await meta('text', {
      body: '<text:p>a</text:p>',
      meta: '<dc:title>Hợp đồng</dc:title><dc:subject>chủ đề</dc:subject><meta:initial-creator>Lan</meta:initial-creator><meta:keyword>một</meta:keyword><meta:keyword>hai</meta:keyword><dc:description>mô tả</dc:description><dc:creator>Minh</dc:creator><meta:creation-date>2013-12-23T23:15:00</meta:creation-date><dc:date>2014-01-01T00:00:00.123456789Z</dc:date><dc:language>vi-VN</dc:language><meta:generator>LibreOffice/7.4.7.2</meta:generator><meta:document-statistic meta:table-count="0" meta:page-count="3" meta:paragraph-count="30" meta:word-count="71" meta:character-count="246"/>',
    });
    expect(found).to.deep.equal({
      format: 'docx',
      family: 'text',
      size: 123,
      encrypted: true,
      macros: true,
      generator: null,
      title: 'Hợp đồng',
      subject: 'chủ đề',
      author: 'Lan',
      last_author: 'Minh',
      keywords: ['một', 'hai'],
      description: 'mô tả',
      created_at: '2013-12-23T23:15:00Z',
      modified_at: '2014-01-01T00:00:00Z',
      printed_at: null,
      language: 'vi-VN',
      pages: 2,
      words: 71,
      characters: 246,
      paragraphs: 30,
      sheets: null,
      slides: null,
      tables: 0,
      images: 0,
      fonts: [],
    });
  });

  it('have times in UTC of formats that keep them so, which the package has forgotten', async () => {
    const pieces = { body: '', meta: '<meta:creation-date>2026-11-22T07:34:13</meta:creation-date>' };
    const created = async (format: MetaOptions['facts']['format']) =>
      (await meta('text', pieces, { format })).created_at;
    for (const format of ['docm', 'doc', 'dotx', 'xlsx', 'xls', 'pptx', 'ppsx', 'potm', 'ppt'] as const) {
      expect(await created(format), format).to.equal('2026-11-22T07:34:13Z');
    }
    for (const format of ['odt', 'fodt', 'ods', 'otp', 'rtf'] as const) {
      expect(await created(format), format).to.equal('2026-11-22T07:34:13');
    }
  });

  it('count sheets, slides, tables and pictures, but no picture that only stands for a table', async () => {
    const image = '<draw:frame><draw:image/></draw:frame>';
    const table = '<draw:frame><table:table/><draw:image/></draw:frame>';
    const page = `<draw:page>${image}${table}<draw:custom-shape><text:p>một hai 日本</text:p></draw:custom-shape></draw:page>`;
    const slides = await meta('slides', { body: page + page });
    expect(slides).to.include({
      slides: 2,
      tables: 2,
      images: 2,
      words: 8,
      paragraphs: 2,
      characters: 20,
      pages: null,
    });
    const sheets = await meta('sheet', { body: '<table:table table:name="A"/>'.repeat(3) });
    expect(sheets).to.include({ sheets: 3, slides: null, tables: null, words: null });
  });

  const ofSource = (source: Uint8Array, facts: Partial<MetaOptions['facts']>, twinMeta = '') =>
    withFile(source, (path) =>
      withFile(flatOf('text', { body: '', meta: twinMeta }), (twin) =>
        extractor.meta(twin, 'text', { facts: { ...FACTS, encrypted: false, ...facts }, source: path }),
      ),
    );
  const app = '<Properties><Application>Microsoft Word</Application><AppVersion>16.0000</AppVersion></Properties>';
  const ooxml = zip({ 'docProps/app.xml': app });
  const odfMeta = `<office:document-meta ${NAMESPACES}><meta:generator>X/1</meta:generator></office:document-meta>`;
  const flat = flatOf('text', {
    meta: '<meta:generator>X/1</meta:generator>',
    body: '<office:meta><meta:generator>Y</meta:generator></office:meta>',
  });
  const summary = (properties: Properties) => compoundFile({ '\u0005SummaryInformation': propertySet(properties) });

  for (const [format, source, generator] of [
    ['docx', ooxml, 'Microsoft Word 16.0000'],
    ['odt', zip({ 'meta.xml': odfMeta }), 'X/1'],
    ['fodt', Buffer.from(flat), 'X/1'],
    ['rtf', Buffer.from('{\\rtf1{\\fonttbl}{\\*\\generator Riched20 10.0;}a}'), 'Riched20 10.0'],
    ['rtf', Buffer.from('{\\rtf1 a}'), null],
    ['doc', summary({ 18: 'Microsoft Office Word' }), 'Microsoft Office Word'],
    ['xls', summary({}), null],
    ['ppt', compoundFile({ Other: Buffer.from('x') }), null],
    ['ppt', compoundFile({ '\u0005SummaryInformation': Buffer.alloc(100, 0xff) }), null],
    ['docx', Buffer.from('no zip at all'), null],
    ['xls', Buffer.from('no compound file'), null],
  ] as const) {
    it(`name the program that wrote the source, which the twin does not: ${generator} (${format})`, async () => {
      expect((await ofSource(source, { format })).generator).to.equal(generator);
      expect((await ofSource(source, { format, encrypted: true })).generator).to.equal(null);
    });
  }

  it('have what the engine does not read of an old Excel file', async () => {
    const times = { 11: 0n, 12: 116_444_736_000_000_000n, 13: 132_537_600_010_000_000n };
    const source = summary({ 1: 1258, 2: 'B¸o', 3: '', 4: 'Lan', 5: 'bút; hai', 6: 'x\0y', 8: 'Minh', ...times });
    const found = await ofSource(source, { format: 'xls' }, '<meta:initial-creator>Hà</meta:initial-creator>');
    expect(found).to.deep.include({ title: 'B¸o', subject: null, author: 'Hà', last_author: 'Minh', description: 'x' });
    expect(found).to.deep.include({ keywords: ['bút', 'hai'], printed_at: null });
    expect(found).to.include({ created_at: '1970-01-01T00:00:00Z', modified_at: '2020-12-30T00:00:01Z' });
  });

  it('tell the language of most of the text', async () => {
    const automatic =
      style('text', 'vi', 'fo:language="vi" fo:country="VN"') +
      style('text', 'none', 'fo:language="zxx" fo:country="none"');
    const styles =
      '<style:default-style style:family="paragraph"><style:text-properties fo:language="en" fo:country="US" style:language-asian="ja" style:country-asian="JP"/></style:default-style>';
    const body =
      '<text:p>ab <text:span text:style-name="vi">xin chào</text:span><text:span text:style-name="none">0123456789</text:span></text:p>';
    expect((await meta('text', { body, automatic, styles })).language).to.equal('vi-VN');
    expect((await meta('text', { body: '<text:p>日本語</text:p>', styles })).language).to.equal('ja-JP');
  });
});

describe('fonts that a document asks for', () => {
  const fonts =
    face('Calibri1', "'Calibri'") + face('Arial') + face('Gothic', "'MS Gothic'") + face('Unused') + face('F', '');
  const styles = `<style:default-style style:family="paragraph"><style:text-properties style:font-name="Calibri1" style:font-name-asian="Gothic" style:font-name-complex="F"/></style:default-style>${style('paragraph', 'Heading', 'fo:font-family="\'No Such Font\', Arial"')}${style('paragraph', 'Unused', 'style:font-name="Unused"')}`;

  it('are those of text that is there, through parents and defaults', async () => {
    const automatic = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Heading"/>';
    const body =
      '<text:p>nhiều chữ nhất</text:p><text:p text:style-name="P1">tựa đề</text:p><text:p text:style-name="Unused"> </text:p>';
    expect(names(await meta('text', { body, automatic, styles, fonts }))).to.deep.equal(['Calibri', 'No Such Font']);
  });

  it('go by the script of the characters', async () => {
    const body = '<text:p>日本</text:p>';
    expect(names(await meta('text', { body, styles, fonts }))).to.deep.equal(['MS Gothic']);
    expect(names(await meta('text', { body: '<text:p>العربية</text:p>', styles, fonts }))).to.deep.equal([]);
    expect(charactersOf('Tiếng Việt — “1.234₫”')).to.deep.equal({ western: 18, asian: 0, complex: 0 });
    expect(charactersOf('a 日本語。 עברית ไทย 😀')).to.deep.equal({ western: 2, asian: 4, complex: 8 });
  });

  it('of cells come from the cell, its row or its column', async () => {
    const automatic = ['Arial', 'Gothic', 'Calibri1'].map((name) =>
      style('table-cell', name, `style:font-name="${name}"`),
    );
    const cell = (name = '') =>
      `<table:table-cell${name && ` table:style-name="${name}"`}><text:p>${'a'.repeat(name ? 1 : 3)}</text:p></table:table-cell>`;
    const body = `<table:table><table:table-column table:number-columns-repeated="2" table:default-cell-style-name="Arial"/><table:table-column table:default-cell-style-name="Gothic"/><table:table-row>${cell('Calibri1')}<table:table-cell/>${cell()}</table:table-row></table:table>`;
    const found = await meta('sheet', { body, automatic: automatic.join(''), fonts });
    expect(names(found)).to.deep.equal(['MS Gothic', 'Calibri']);
  });

  it('do not come from comments and hidden text', async () => {
    const automatic =
      style('text', 'h', 'style:font-name="Arial" text:display="none"') + style('text', 'a', 'style:font-name="Arial"');
    const body =
      '<text:p>a<text:span text:style-name="h">b</text:span><office:annotation><text:p><text:span text:style-name="a">c</text:span></text:p></office:annotation></text:p>';
    expect(names(await meta('text', { body, automatic, styles, fonts }))).to.deep.equal(['Calibri']);
  });

  it('are replaced by what fontconfig says if the machine has them not', async () => {
    const found = await createFonts().lookUp(
      ['Calibri', 'Cambria', 'Arial', 'Times New Roman', 'Courier New', 'liberation sans', 'No Such Font'].map(
        (name) => ({
          name,
        }),
      ),
    );
    // What pdffonts finds in a PDF that LibreOffice makes of a document in these fonts.
    const replacements = ['Carlito', 'Caladea', 'Liberation Sans', 'Liberation Serif', 'Liberation Mono', null];
    expect(found.slice(0, 6).map(({ replacement }) => replacement)).to.deep.equal(replacements);
    expect(found.map(({ substituted }) => substituted)).to.deep.equal([true, true, true, true, true, false, true]);
    expect(found[6]?.replacement).to.be.a('string');
  });

  it('may be called anything', async () => {
    expect(pattern({ name: 'A-B:C,D\\E=F' })).to.equal('A\\-B\\:C\\,D\\\\E\\=F');
    expect(pattern({ name: 'MS Gothic', sample: '日' })).to.equal('MS Gothic:charset=65e5');
    const odd = ['--help', '-v', ':family=Carlito', '%{file}', '$(id)', 'x'.repeat(5000), 'a\u0000b', '\\'];
    const found = await createFonts().lookUp(odd.map((name) => ({ name })));
    expect(found.map(({ substituted }) => substituted)).to.deep.equal(odd.map(() => true));
    for (const { replacement } of found) expect(replacement ?? '').to.match(/^[A-Z][\w ]*$|^$/);
  });
});
