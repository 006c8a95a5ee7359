import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startEnterprise, type TestService } from '../support/service.ts';

const VIETNAMESE = 'Độc lập, Tự do, Hạnh phúc: ưu tiên những người được hưởng, cỡ chữ Ẵ ẵ Ỡ ỡ Ự ự Ỵ ỵ';

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
      expect(response.status).to.equal(200);
      const path = join(folder, 'a.pdf');
      writeFileSync(path, Buffer.from(await response.arrayBuffer()));
      const used = execFileSync('pdffonts', [path], { encoding: 'utf8' }).split('\n').slice(2).filter(Boolean);
      const names = used.map(
        (line) =>
          line
            .split(/\s+/)[0]
            ?.replace(/^[A-Z]{6}\+/, '')
            .replace(/-.*/, '') ?? '',
      );
      expect([...new Set(names)]).to.deep.equal([font.replaceAll(' ', '')]);
    });
  }
});

function rtfIn(font: string): string {
  const text = VIETNAMESE.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0)}?`);
  return `{\\rtf1\\ansi{\\fonttbl{\\f0 ${font};}}\\f0 ${text}\\par}`;
}
