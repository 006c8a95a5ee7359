import { templateExamples } from '../../scripts/examples/files.ts';
import { renderExample } from '../../scripts/examples/make.ts';
import { drawPage } from '../../scripts/examples/picture.ts';
import { startEnterprise } from '../support/service.ts';

/** The part of a page A4 that is shown, in points. */
const PAGE = { width: 595, height: 440 };
const GAP = 30;
const CAPTION = 34;
const SYMBOL = /<symbol id="([^"]*)">\n([\s\S]*?)<\/symbol>\n/g;

/** The template `letter` of the examples beside the letter that DocBuilder makes of it. */
export async function letter(): Promise<string> {
  const example = (await templateExamples()).find(({ name }) => name === 'letter');
  if (!example) throw new Error('there is no example letter');
  const service = await startEnterprise();
  try {
    const shown = await service.convert(example.template, 'letter.docx', { to: 'pdf' });
    if (!shown.ok) throw new Error(await shown.text());
    const made = await renderExample(service, example, 'pdf');
    return beside([
      ['letter.docx, a Word template', await drawPage(await shown.bytes(), 1, 'letter.docx')],
      ['letter.pdf, by POST /v1/template/render', await drawPage(made.content, 1, 'letter.pdf')],
    ]);
  } finally {
    await service.stop();
  }
}

/** Pictures side by side, each with a caption above it. */
function beside(parts: readonly (readonly [caption: string, svg: string])[]): string {
  const width = parts.length * (PAGE.width + GAP) + GAP;
  const height = PAGE.height + CAPTION + GAP;
  const shown = parts.map(([caption, svg], index) => {
    const x = GAP + index * (PAGE.width + GAP);
    const frame = `x="${x}" y="${CAPTION}" width="${PAGE.width}" height="${PAGE.height}"`;
    return [
      `<text x="${x}" y="22" font-family="sans-serif" font-size="16">${caption}</text>`,
      `<rect ${frame} fill="#fff" stroke="#afb8c1"/>`,
      `<svg ${frame} viewBox="0 0 ${PAGE.width} ${PAGE.height}">`,
      withIds(cropped(content(svg)), `${index}-`),
      '</svg>',
    ].join('\n');
  });
  const pages = shareSymbols(shown.join('\n'));
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>
<title>A Word template with its fields, and the letter that is made of it</title>
<rect width="100%" height="100%" fill="#f6f8fa"/>
${pages}
</svg>
`;
}

/** Without the letters below the part that is shown. */
function cropped(svg: string): string {
  const shown = svg.replace(/<use href="[^"]*" x="[^"]*" y="([\d.]+)"\/>\n/g, (use, y) =>
    Number(y) > PAGE.height ? '' : use,
  );
  const used = new Set([...shown.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id));
  return shown.replace(SYMBOL, (symbol, id) => (used.has(id) ? symbol : ''));
}

/** Letters of the same shape are defined once. */
function shareSymbols(svg: string): string {
  const first = new Map<string, string>();
  const same = new Map<string, string>();
  const kept = svg.replace(SYMBOL, (symbol: string, id: string, shape: string) => {
    const known = first.get(shape);
    if (known === undefined) first.set(shape, id);
    else same.set(id, known);
    return known === undefined ? symbol : '';
  });
  return kept.replace(/ href="#([^"]*)"/g, (_, id: string) => ` href="#${same.get(id) ?? id}"`);
}

function content(svg: string): string {
  return svg.replace(/^[\s\S]*?<svg [^>]*>\n/, '').replace(/<\/svg>\s*$/, '');
}

/** IDs are those of the whole file, and both pages have letters of the same name. */
function withIds(svg: string, prefix: string): string {
  return svg.replace(/( id="| href="#|url\(#)/g, `$1${prefix}`);
}
