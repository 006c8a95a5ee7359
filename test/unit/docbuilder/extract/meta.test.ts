import { expect } from 'chai';
import { createFonts } from '../../../../cmd/docbuilder/extract/fonts.ts';
import { type MetaTask, readMeta } from '../../../../cmd/docbuilder/extract/meta.ts';
import type { Family } from '../../../../cmd/docbuilder/formats.ts';
import { zip } from '../../../../scripts/support/documents.ts';
import { compoundFile } from '../../../support/compound-files.ts';
import { NAMESPACES, type Pieces, toFlat, withFile } from './flat.ts';
import propertySets from './golden/property-sets.json' with { type: 'json' };

const FACTS = { format: 'docx', encrypted: false, macros: true, size: 123, pages: 2 } as const;

const meta = (
  family: Family,
  pieces: Pieces,
  facts: Partial<MetaTask['facts']> = {},
  source: Uint8Array = Buffer.from('x'),
) =>
  withFile(source, (sent) =>
    withFile(toFlat(family, pieces), (path) => readMeta({ path, family, source: sent, facts: { ...FACTS, ...facts } })),
  );

const face = (name: string, family = name) => `<style:font-face style:name="${name}" svg:font-family="${family}"/>`;
const style = (family: string, name: string, properties: string, more = '') =>
  `<style:style style:name="${name}" style:family="${family}"${more}><style:text-properties ${properties}/></style:style>`;
const defaults = (properties: string) =>
  `<style:default-style style:family="paragraph"><style:text-properties ${properties}/></style:default-style>`;

describe('metadata', () => {
  it('is what office:meta says, with what the caller knows', async () => {
    const said =
      '<dc:title>Hợp đồng</dc:title><dc:subject>chủ đề</dc:subject><meta:initial-creator>Lan</meta:initial-creator><meta:keyword>một</meta:keyword><meta:keyword>hai</meta:keyword><dc:description>mô tả</dc:description><dc:creator>Minh</dc:creator><meta:creation-date>2013-12-23T23:15:00</meta:creation-date><dc:date>2014-01-01T00:00:00.123456789Z</dc:date><meta:print-date>1899-12-30T00:00:00</meta:print-date><dc:language>vi-VN</dc:language><meta:document-statistic meta:page-count="3" meta:paragraph-count="30" meta:word-count="71" meta:character-count="246"/>';
    const comment = '<office:annotation><dc:creator>X</dc:creator><dc:date>2026-01-01</dc:date></office:annotation>';
    const object = `<draw:object><office:meta><dc:title>X</dc:title></office:meta></draw:object>`;
    expect(await meta('text', { body: `<text:p>a${comment}${object}</text:p>`, meta: said })).to.deep.equal({
      ...{ format: 'docx', family: 'text', size: 123, encrypted: false, macros: true, generator: null },
      ...{ title: 'Hợp đồng', subject: 'chủ đề', author: 'Lan', last_author: 'Minh', description: 'mô tả' },
      ...{ keywords: ['một', 'hai'], language: 'vi-VN', fonts: [] },
      ...{ created_at: '2013-12-23T23:15:00Z', modified_at: '2014-01-01T00:00:00Z', printed_at: null },
      ...{ pages: 2, words: 71, characters: 246, paragraphs: 30, sheets: null, slides: null, tables: 0, images: 0 },
    });
  });

  it('has times in UTC of formats that keep them so', async () => {
    const pieces = { body: '', meta: '<meta:creation-date>2026-11-22T07:34:13</meta:creation-date>' };
    for (const [formats, offset] of [
      [['docm', 'doc', 'dotx', 'xlsx', 'xls', 'pptx', 'ppsx', 'potm', 'ppt'], 'Z'],
      [['odt', 'fodt', 'ods', 'otp', 'rtf'], ''],
    ] as const) {
      for (const format of formats) {
        expect((await meta('text', pieces, { format })).created_at, format).to.equal(`2026-11-22T07:34:13${offset}`);
      }
    }
  });

  it('has no author and no time that a document does not state', async () => {
    const said =
      '<dc:creator>Minh</dc:creator><meta:creation-date>1601-01-01T00:00:00Z</meta:creation-date><meta:print-date>2020-01-02T03:04:05</meta:print-date>';
    // LibreOffice knows only the local time when a doc was printed.
    for (const [format, printed] of [
      ['doc', null],
      ['xls', '2020-01-02T03:04:05Z'],
    ] as const) {
      expect(await meta('text', { body: '', meta: said }, { format }), format).to.deep.include({
        ...{ author: null, last_author: 'Minh', created_at: null, printed_at: printed },
      });
    }
  });

  it('counts sheets, slides, tables and pictures, but no picture that only stands for a table', async () => {
    const frames = ['<draw:image/>', '<table:table/><draw:image/>'].map((inner) => `<draw:frame>${inner}</draw:frame>`);
    const page = `<draw:page>${frames.join('')}<draw:custom-shape><text:p>một hai 日本</text:p></draw:custom-shape></draw:page>`;
    const slides = await meta('slides', { body: page + page });
    expect(slides).to.include({ slides: 2, tables: 2, images: 2, pages: null, sheets: null });
    expect(slides).to.include({ words: 8, paragraphs: 2, characters: 20 });
    const sheets = await meta('sheet', { body: '<table:table table:name="A"/>'.repeat(3) });
    expect(sheets).to.include({ sheets: 3, slides: null, tables: null, words: null, pages: null });
  });

  const app = (prefix: string) =>
    zip({ 'docProps/app.xml': `<${prefix}Application>A &amp; B</${prefix}Application><AppVersion>16.0</AppVersion>` });
  const generator = '<meta:generator>X/1</meta:generator>';
  const embedded = '<office:meta><meta:generator>Y</meta:generator></office:meta>';
  const summary = (name: keyof typeof propertySets) =>
    compoundFile({ '\u0005SummaryInformation': Buffer.from(propertySets[name], 'base64') });
  for (const [format, source, expected] of [
    ['docx', app(''), 'A & B 16.0'],
    ['xlsx', app('ap:'), 'A & B 16.0'],
    [
      'odt',
      zip({ 'meta.xml': `<office:document-meta ${NAMESPACES.join(' ')}>${generator}</office:document-meta>` }),
      'X/1',
    ],
    ['fodt', Buffer.from(toFlat('text', { meta: generator, body: embedded })), 'X/1'],
    ['rtf', Buffer.from('{\\rtf1{\\fonttbl}{\\*\\generator Riched20 10.0;}a}'), 'Riched20 10.0'],
    ['rtf', Buffer.from('{\\rtf1 a}'), null],
    ['doc', summary('one with a generator'), 'Microsoft Office Word'],
    ['xls', summary('an empty one'), null],
    ['ppt', compoundFile({ Other: Buffer.from('x') }), null],
    ['ppt', compoundFile({ '\u0005SummaryInformation': Buffer.alloc(100, 0xff) }), null],
    ['docx', Buffer.from('no zip at all'), null],
    ['xls', Buffer.from('no compound file'), null],
  ] as const) {
    it(`names the program that wrote the source: ${expected} (${format})`, async () => {
      expect((await meta('text', { body: '' }, { format }, source)).generator).to.equal(expected);
      expect((await meta('text', { body: '' }, { format, encrypted: true }, source)).generator).to.equal(null);
    });
  }

  it('has what the engine does not read of an old Excel file', async () => {
    const source = summary('one of Excel 95');
    const own = { body: '', meta: '<meta:initial-creator>Hà</meta:initial-creator>' };
    expect(await meta('sheet', own, { format: 'xls' }, source)).to.deep.include({
      ...{ title: 'B¸o', subject: null, author: 'Hà', last_author: 'Minh', description: 'x', keywords: ['bút', 'hai'] },
      ...{ printed_at: null, created_at: '1970-01-01T00:00:00Z', modified_at: '2020-12-30T00:00:01Z' },
    });
  });
});

/** A property set (MS-OLEPS 2.20) with a title in some code page. */
function titled(codePage: number, title: Buffer): Buffer {
  const [start, entries] = [48, 24];
  const set = Buffer.alloc(start + entries + 8 + 8 + title.length);
  set.writeUInt32LE(start, 44);
  set.writeUInt32LE(2, start + 4);
  for (const [index, [id, at]] of [[1, entries] as const, [2, entries + 8] as const].entries()) {
    set.writeUInt32LE(id, start + 8 + 8 * index);
    set.writeUInt32LE(at, start + 12 + 8 * index);
  }
  set.writeUInt32LE(0x02, start + entries);
  set.writeUInt32LE(codePage, start + entries + 4);
  set.writeUInt32LE(0x1e, start + entries + 8);
  set.writeUInt32LE(title.length, start + entries + 12);
  title.copy(set, start + entries + 16);
  return set;
}

describe('the code page of an old document', () => {
  for (const [codePage, bytes, title] of [
    [1258, 'Vi\xea\xf2t', 'Việt'],
    [1257, '\xe0', 'ą'],
    [1250, '\xb9', 'ą'],
    [874, '\xa1', 'ก'],
    // None that anybody has made: most are western.
    ...[1248, 1249, 1259, 4711].map((unknown) => [unknown, '\xe9', 'é'] as const),
  ] as const) {
    it(`is known or taken for a western one: ${codePage}`, async () => {
      const source = compoundFile({ '\u0005SummaryInformation': titled(codePage, Buffer.from(bytes, 'latin1')) });
      expect(await meta('sheet', { body: '' }, { format: 'xls' }, source)).to.include({ title });
    });
  }
});

describe('fonts and languages of a document', () => {
  const fonts =
    face('Calibri1', "'Calibri'") + face('Arial') + face('Gothic', "'MS Gothic'") + face('Unused') + face('F', '');
  const styles = defaults(
    'style:font-name="Calibri1" style:font-name-asian="Gothic" style:font-name-complex="F" fo:language="en" fo:country="US" style:language-asian="ja" style:country-asian="JP"',
  );
  const text = {
    fonts,
    styles: styles + style('paragraph', 'Heading', 'fo:font-family="\'No Such Font\', Arial"'),
    automatic:
      style('paragraph', 'P1', '', ' style:parent-style-name="Heading"') +
      style('paragraph', 'Unused', 'style:font-name="Unused"') +
      style('text', 'hidden', 'style:font-name="Arial" text:display="none"') +
      style('text', 'a', 'style:font-name="Arial"') +
      style('text', 'vi', 'fo:language="vi" fo:country="VN"') +
      style('text', 'none', 'fo:language="zxx" fo:country="none"'),
  };
  const span = (name: string, inner: string) => `<text:span text:style-name="${name}">${inner}</text:span>`;
  const cell = (name: string, length: number) =>
    `<table:table-cell${name && ` table:style-name="${name}"`}><text:p>${'a'.repeat(length)}</text:p></table:table-cell>`;
  const columns =
    '<table:table-column table:number-columns-repeated="2" table:default-cell-style-name="Arial"/><table:table-column table:default-cell-style-name="Gothic"/>';
  const cellStyles = ['Arial', 'Gothic', 'Calibri1']
    .map((name) => style('table-cell', name, `style:font-name="${name}"`))
    .join('');
  const sheet = `<table:table>${columns}<table:table-row>${cell('Calibri1', 1)}<table:table-cell/>${cell('', 3)}</table:table-row></table:table>`;
  const styled = (name: string, words: string) => `<text:p text:style-name="${name}">${words}</text:p>`;
  const unseen = `${span('hidden', 'bbb')}<office:annotation><text:p>${span('a', 'ccc')}</text:p></office:annotation>`;
  const CASES: [about: string, body: string, names: string[], language: string | null, family?: Family][] = [
    [
      'text that is there, through parents and defaults',
      `<text:p>nhiều chữ nhất</text:p>${styled('P1', 'tựa đề')}${styled('Unused', ' ')}`,
      ['Calibri', 'No Such Font'],
      'en-US',
    ],
    ['the script of the characters', '<text:p>日本</text:p>', ['MS Gothic'], 'ja-JP'],
    ['a script without a font', '<text:p>العربية</text:p>', [], null],
    ['neither hidden text nor comments', `<text:p>a${unseen}</text:p>`, ['Calibri'], 'en-US'],
    [
      'most of the text',
      `<text:p>ab ${span('vi', 'xin chào')}${span('none', '0123456789')}</text:p>`,
      ['Calibri'],
      'vi-VN',
    ],
    ['a cell, its row or its column', sheet, ['MS Gothic', 'Calibri'], null, 'sheet'],
  ];
  for (const [about, body, names, language, family = 'text'] of CASES) {
    it(`are those of ${about}`, async () => {
      const found = await meta(family, family === 'text' ? { ...text, body } : { fonts, automatic: cellStyles, body });
      expect(found.fonts.map(({ name }) => name)).to.deep.equal(names);
      expect(found.language).to.equal(language);
    });
  }

  it('are replaced by what fontconfig says if the machine does not have them', async () => {
    // The fonts that pdffonts finds in a PDF that LibreOffice makes of a document in these fonts.
    const replaced = {
      ...{ Calibri: 'Carlito', Cambria: 'Caladea', Arial: 'Liberation Sans', 'Times New Roman': 'Liberation Serif' },
      ...{ 'Courier New': 'Liberation Mono', 'liberation sans': null },
    };
    const found = await createFonts().lookUp(Object.keys(replaced).map((name) => ({ name, sample: '' })));
    expect(found).to.deep.equal(
      Object.entries(replaced).map(([name, replacement]) => ({ name, substituted: replacement !== null, replacement })),
    );
  });

  it('may be called anything', async () => {
    const odd = ['--help', '-v', ':family=Carlito', '%{file}', '$(id)', 'x'.repeat(5000), 'a\u0000b', '\\'];
    const found = await createFonts().lookUp(odd.map((name) => ({ name, sample: '' })));
    expect(found.map(({ substituted }) => substituted)).to.deep.equal(odd.map(() => true));
    for (const { replacement } of found) expect(replacement ?? '').to.match(/^[A-Z][\w ]*$|^$/);
  });
});
