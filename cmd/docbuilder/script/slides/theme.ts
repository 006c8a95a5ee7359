import type { Script } from '../../../../src/common/generated/script.ts';
import { element } from '../xml.ts';

/** The look of all slides. Lengths are millimetres. */
export type Theme = ReturnType<typeof getTheme>;

const WIDTHS = { '16:9': 338.67, '4:3': 254 };
const HEIGHT = 190.5;
/** Every machine has it or a twin. Lines of Calibri's twin Carlito are too close: Impress leaves out its line gap. */
const FONT = 'Arial';
const ACCENT = '#1F6FB2';
const TITLE = '#1B365D';

export function getTheme(script: Script) {
  const style = script.slide_style ?? {};
  const font = style.font ?? FONT;
  const { color, title_color: titleColor } = style;
  const background = style.background ?? '#FFFFFF';
  // A script's colours are for the common background; on others, such as the accent, they may be unreadable.
  const chosen = (letters: string, on: string): string => (on === background ? letters : readable(letters, on));
  return {
    width: WIDTHS[script.slide_size ?? '16:9'],
    height: HEIGHT,
    font,
    titleFont: style.title_font ?? font,
    accent: style.accent ?? ACCENT,
    background,
    footer: style.footer,
    numbers: style.slide_numbers ?? false,
    textOn: (on: string) => (color === undefined ? readableOn(on) : chosen(color, on)),
    titleOn: (on: string) => (titleColor === undefined ? readable(color ?? TITLE, on) : chosen(titleColor, on)),
  };
}

/**
 * `loext:theme`: the colours that PowerPoint offers for new shapes (LibreOffice from 7.6 on). Its name is the master's:
 * LibreOffice writes masters with equal themes to pptx as one, and footers of their slides then find no placeholder.
 */
export function themeColors(master: string, { accent, background, textOn, titleOn }: Theme): string {
  const colors = {
    dark1: textOn('#FFFFFF'),
    light1: background,
    dark2: titleOn('#FFFFFF'),
    light2: '#F2F2F2',
    accent1: accent,
    accent2: '#ED7D31',
    accent3: '#70AD47',
    accent4: '#FFC000',
    accent5: '#7F60A8',
    accent6: '#A5A5A5',
    hyperlink: '#0563C1',
    'followed-hyperlink': '#7B3F8C',
  };
  const entries = Object.entries(colors).map(([name, color]) =>
    element('loext:color', { 'loext:name': name, 'loext:color': color }),
  );
  const content = element('loext:theme-colors', { 'loext:name': master }, entries.join(''));
  return element('loext:theme', { 'loext:name': master }, content);
}

const WHITE = '#FFFFFF';
const INK = '#262626';
/** WCAG 2.2, 1.4.3. */
const LARGE_TEXT_CONTRAST = 3;
/** For bullets and rules, which may be light. */
const LEAST_VISIBLE = 1.5;

/** White where it is readable on the background, else almost black. Colours are `#RRGGBB`. */
export function readableOn(background: string): string {
  return contrast(background, WHITE) >= LARGE_TEXT_CONTRAST ? WHITE : INK;
}

/** `color` where it is readable on the background, else white or almost black. */
export function readable(color: string, background: string): string {
  return contrast(color, background) >= LARGE_TEXT_CONTRAST ? color : readableOn(background);
}

/** `accent`, unless it is invisible on the background. */
export function visible(accent: string, background: string): string {
  return contrast(accent, background) >= LEAST_VISIBLE ? accent : readableOn(background);
}

/** Contrast ratio (WCAG 2.2), 1 to 21. */
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
