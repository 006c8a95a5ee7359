const WHITE = '#FFFFFF';
const INK = '#262626';
/** WCAG 2.2, 1.4.3: the contrast that large letters need. */
const LARGE_TEXT_CONTRAST = 3;
/** For bullets and rules: a light accent is wanted as it is. */
const LEAST_VISIBLE = 1.5;

/** White where it can be read on this background, else almost black. Colours are `#RRGGBB`. */
export function readableOn(background: string): string {
  return contrast(background, WHITE) >= LARGE_TEXT_CONTRAST ? WHITE : INK;
}

/** `color` where it can be read on the background, else white or almost black. */
export function readable(color: string, background: string): string {
  return contrast(color, background) >= LARGE_TEXT_CONTRAST ? color : readableOn(background);
}

/** `accent`, unless it would vanish on the background. */
export function visible(accent: string, background: string): string {
  return contrast(accent, background) >= LEAST_VISIBLE ? accent : readableOn(background);
}

/** Contrast ratio of two colours (WCAG 2.2), 1 to 21. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
