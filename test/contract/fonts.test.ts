import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startEnterprise, type TestService } from '../support/service.ts';

const VIETNAMESE = 'Độc lập, Tự do, Hạnh phúc: ưu tiên những người được hưởng, cỡ chữ Ẵ ẵ Ỡ ỡ Ự ự Ỵ ỵ';
/** Drawn with a font that has none of its Latin letters, it lost them. */
const MIXED = 'Привет テストm28eƯỚCm30e &amp; ภาษาไทย';

/** Fonts that the contract promises and that have all Vietnamese letters themselves. Caladea has not. */
const FONTS = [
  'Liberation Sans',
  'Liberation Serif',
  'Liberation Mono',
  'Carlito',
  'DejaVu Sans',
  'Noto Sans',
  'Noto Serif',
];

describe('fonts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-fonts-'));
  const pdf = join(folder, 'a.pdf');
  let service: TestService;
  before(async () => {
    service = await startEnterprise();
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  for (const font of FONTS) {
    it(`${font} is there and draws Vietnamese without help from another`, async () => {
      const response = await service.convert(Buffer.from(rtfIn(font)), 'a.rtf', { to: 'pdf' });
      expect(await readFamilies(response)).to.deep.equal([font.replaceAll(' ', '')]);
    });
  }

  it('that are missing are replaced by the same one whatever language the text is in, and no letter is lost', async () => {
    for (const lang of ['vi-VN', 'zh-Hant-TW', 'ja-JP', 'th-TH']) {
      const heading = { type: 'heading', level: 1, text: MIXED, font: "O'Neil" };
      const script = { svcscript: 1, type: 'text', meta: { lang }, save: [{ format: 'pdf' }], body: [heading] };
      const response = await service.post('/v1/build', { script });
      expect(await readFamilies(response), lang)
        .to.include('NotoSans')
        .and.not.include('OpenSymbol');
      const text = execFileSync('pdftotext', [pdf, '-'], { encoding: 'utf8' });
      expect(text.replace(/\s+/g, ''), lang).to.equal(MIXED.replace(/\s+/g, ''));
    }
  });

  /** Returns the families of the fonts in a PDF. */
  async function readFamilies(response: Response): Promise<string[]> {
    expect(response.status).to.equal(200);
    writeFileSync(pdf, Buffer.from(await response.arrayBuffer()));
    const used = execFileSync('pdffonts', [pdf], { encoding: 'utf8' }).split('\n').slice(2).filter(Boolean);
    return [...new Set(used.map((line) => /^(?:[A-Z]{6}\+)?([^\s-]*)/.exec(line)?.[1] ?? ''))];
  }
});

function rtfIn(font: string): string {
  const text = VIETNAMESE.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0)}?`);
  return `{\\rtf1\\ansi{\\fonttbl{\\f0 ${font};}}\\f0 ${text}\\par}`;
}
