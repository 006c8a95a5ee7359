import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { SourceFormat } from '../../cmd/docbuilder/formats.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import { fodt, MiB, paragraph, sharedBench } from '../engine/support.ts';
import { useStarted } from '../support/use-started.ts';

/** Most documents ask for it and no machine of ours has it: Liberation Sans is drawn. */
const FONT = 'Arial';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const PICTURE = { to: 'png', image: { page: 1, width: 400, height: 400 } } as const;
/** A font that looks like no other: embedded as Arial, it would change the numbers in other documents. */
const FOREIGN = readFileSync(execFileSync('fc-match', ['-f', '%{file}', 'DejaVu Serif:bold'], { encoding: 'utf8' }));

/** Liberties of documents end with them: a worker makes the next caller's of the same parts as the one's before. */
describe('attack: a document against the next one of its worker', function () {
  this.timeout(60_000);
  const bench = useStarted(sharedBench, () => undefined);

  const draw = async (content: string | Buffer, from: SourceFormat): Promise<string> =>
    (await bench.make(content, from, [PICTURE]))[0].bytes.toString('base64');

  for (const [from, evil] of [
    ['fodt', textIn(FONT, FOREIGN)],
    ['docx', wordWithFont(FONT, FOREIGN)],
  ] as const) {
    it(`${from}: a font that one brings along under the name of another draws nobody else's text`, async () => {
      const before = await draw(textIn(FONT), 'fodt');
      await draw(evil, from);
      expect(await draw(textIn(FONT), 'fodt')).to.equal(before);
    });
  }

  it('its own text is drawn with it', async () => {
    const plain = await draw(textIn(FONT), 'fodt');
    expect(await draw(textIn(FONT, FOREIGN), 'fodt')).not.to.equal(plain);
  });

  it('what is made of it has those that it uses, not all that the machine has', async () => {
    // Fonts of Chinese have 20 MB each.
    expect((await bench.convert(wordWithFont(FONT, FOREIGN), 'docx', 'odt')).bytes).to.have.length.below(5 * MiB);
    const [flat] = await bench.make(wordWithFont(FONT, FOREIGN), 'docx', [{ to: 'fodt' as 'odt' }]);
    expect(flat.text).not.to.include('font-face-uri');
  });

  it('without fonts of its own it costs no worker', async () => {
    await draw(textIn(FONT), 'fodt');
    const restarts = bench.restarts();
    for (let count = 0; count < 3; count++) await draw(textIn(FONT), 'fodt');
    expect(bench.restarts()).to.equal(restarts);
  });
});

/** A text in a font, which it brings along if `file` is given. */
function textIn(font: string, file?: Buffer): string {
  const source = `<svg:font-face-src><svg:font-face-uri><office:binary-data>${file?.toString('base64')}</office:binary-data><svg:font-face-format svg:string="truetype"/></svg:font-face-uri></svg:font-face-src>`;
  const head =
    `<office:font-face-decls><style:font-face style:name="F" svg:font-family="${font}">${file ? source : ''}</style:font-face></office:font-face-decls>` +
    '<office:styles><style:default-style style:family="paragraph"><style:text-properties style:font-name="F"/></style:default-style></office:styles>';
  return fodt(paragraph('Tổng cộng 1.234.567.890 đồng'), head);
}

function wordWithFont(font: string, file: Buffer): Buffer {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const relationships = (...list: [type: string, target: string][]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"/>`).join('')}</Relationships>`;
  // The key that the font is mixed with (ECMA-376 part 4, 2.8.1): nothing but zeros leaves it as it is.
  const key = '{00000000-0000-0000-0000-000000000000}';
  return ooxml(
    'docx',
    {},
    {
      'word/_rels/document.xml.rels': relationships(['fontTable', 'fontTable.xml'], ['settings', 'settings.xml']),
      'word/settings.xml': `<w:settings xmlns:w="${WORD}"><w:embedTrueTypeFonts/></w:settings>`,
      'word/fontTable.xml': `<w:fonts xmlns:w="${WORD}" xmlns:r="${office}"><w:font w:name="${font}"><w:embedRegular r:id="rId1" w:fontKey="${key}"/></w:font></w:fonts>`,
      'word/_rels/fontTable.xml.rels': relationships(['font', 'fonts/font1.odttf']),
      'word/fonts/font1.odttf': file,
    },
  );
}
