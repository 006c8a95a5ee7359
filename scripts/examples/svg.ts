/** pdftocairo says this of each letter, once is enough: without it a browser cuts off what is left of or above its origin. */
const VISIBLE = '<style>symbol{overflow:visible}</style>';
/** A page has no colour of its own: on the dark page of a reader its black letters would be lost. */
const PAPER = '<rect width="100%" height="100%" fill="#fff"/>';

/**
 * Makes an SVG of pdftocairo's half as large without a visible change: numbers of two decimals (a hundredth of a point),
 * letters drawn in hundredths, paths without superfluous characters, neighbours of one style in one group, short names.
 * @param title what is shown to those who cannot see it
 */
export function slim(svg: string, title: string): string {
  return svg
    .replace(/(<svg [^>]*>\n)/, `$1<title>${title}</title>\n${VISIBLE}\n${PAPER}\n`)
    .replace(/<symbol [^>]*id="glyph\d+-0">\n<path [^>]*>\n<\/symbol>\n/g, '')
    .replace(/<path style="stroke:none;" d="([^"]*)"\/>\n<\/symbol>/g, (_, path: string) => letter(path))
    .replace(/rgb\(([\d.]+)%,([\d.]+)%,([\d.]+)%\)/g, (_, ...shares: string[]) => hex(shares.slice(0, 3)))
    .replace(/matrix\([^)]*\)|-?\d+\.\d{2,}/g, rounded)
    .replace(/ d="([^"]*)"/g, (_, path: string) => ` d="${slimPath(path)}"`)
    .replace(/(<g style="[^"]*">\n)(?: {2}<use [^>]*>\n)+<\/g>\n(?:\1(?: {2}<use [^>]*>\n)+<\/g>\n)+/g, joined)
    .replace(/(["#])glyph(\d+)-(\d+)"/g, '$1$2-$3"')
    .replace(/ overflow="visible"| xmlns:xlink="[^"]*"|(?:fill|stroke)-opacity:1;/g, '')
    .replaceAll('xlink:href', 'href')
    .replace(/^ +/gm, '');
}

/** A small error in a matrix is a large one on the page. */
function rounded(number: string): string {
  return number.startsWith('matrix') ? number : String(Number(Number(number).toFixed(2)));
}

function letter(path: string): string {
  const hundredths = path.replace(/-?\d+(?:\.\d+)?/g, (number) => String(Math.round(Number(number) * 100)));
  return `<path transform="scale(.01)" d="${hundredths}"/>\n</symbol>`;
}

/** Commands are single letters, a minus separates numbers, and a last move draws nothing. */
function slimPath(path: string): string {
  return path
    .replace(/ M [-\d.]+ [-\d.]+ $/, '')
    .replace(/ ?([A-Z]) ?/g, '$1')
    .replace(/ -/g, '-')
    .trim();
}

function joined(groups: string, start: string): string {
  return `${start}${groups.replaceAll(start, '').replaceAll('</g>\n', '')}</g>\n`;
}

/** A colour of three percentages. */
function hex(shares: readonly string[]): string {
  return `#${Buffer.from(shares.map((share) => Math.round(Number(share) * 2.55))).toString('hex')}`;
}
