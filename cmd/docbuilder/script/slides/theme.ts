import type { Script } from '../../../../src/common/generated/script.ts';
import { element } from '../xml.ts';
import { readable, readableOn } from './color.ts';

/** Look of all slides, with a value for everything that the script left open. Lengths are millimetres. */
export interface Theme {
  width: number;
  height: number;
  font: string;
  titleFont: string;
  accent: string;
  background: string;
  footer: string | undefined;
  numbers: boolean;
  /** Colour of text on a background: the script's own where it can be read there. */
  textOn(background: string): string;
  titleOn(background: string): string;
}

const WIDTHS = { '16:9': 338.67, '4:3': 254 };
const HEIGHT = 190.5;
/** Everybody has it or its metric twin. Calibri's twin Carlito would stand too close: Impress leaves out its line gap. */
const FONT = 'Arial';
const ACCENT = '#1F6FB2';
const TITLE = '#1B365D';

/** The look of a script's slides. */
export function themeOf(script: Script): Theme {
  const style = script.slide_style ?? {};
  const font = style.font ?? FONT;
  const { color, title_color: titleColor } = style;
  const background = style.background ?? '#FFFFFF';
  // On the common background the script has its way; on others, such as the accent, it may not have thought of them.
  const wanted = (letters: string, on: string): string => (on === background ? letters : readable(letters, on));
  return {
    width: WIDTHS[script.slide_size ?? '16:9'],
    height: HEIGHT,
    font,
    titleFont: style.title_font ?? font,
    accent: style.accent ?? ACCENT,
    background,
    footer: style.footer,
    numbers: style.slide_numbers ?? false,
    textOn: (on) => (color === undefined ? readableOn(on) : wanted(color, on)),
    titleOn: (on) => (titleColor === undefined ? readable(color ?? TITLE, on) : wanted(titleColor, on)),
  };
}

/**
 * Colours of a master page as `loext:theme`: what PowerPoint offers for new shapes (LibreOffice from 7.6 on; others
 * skip it). Each master page needs a theme of its own name: masters with equal themes are written to pptx as one, and
 * the footers of their slides then find no placeholder.
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
