import type { Inline, Run } from '../../../src/common/generated/script.ts';
import { namedStyle, properties, type Styles } from './styles.ts';
import { type Attributes, element, paragraphText, pt } from './xml.ts';

/** The look of letters. Absent members are inherited from the text around them. */
export type Look = Omit<Run, 'text' | 'link'>;

const LINK_STYLE = 'Internet_20_link';

/** The named style of links. */
export function linkStyle(look: Look): string {
  return namedStyle('text', 'Internet link', lookProperties(look));
}

/**
 * The look as attributes of `style:text-properties`. ODF has weight, posture, size and font once more each for East
 * Asian and for right-to-left letters.
 */
export function lookAttributes(look: Look): Attributes {
  const { bold, italic, underline, strike, color, highlight, font, size, script } = look;
  return {
    ...inEveryScript('font-family', font && fontFamily(font)),
    ...inEveryScript('font-size', size && pt(size)),
    ...inEveryScript('font-weight', either(bold, 'bold', 'normal')),
    ...inEveryScript('font-style', either(italic, 'italic', 'normal')),
    'style:text-underline-style': either(underline, 'solid', 'none'),
    'style:text-underline-width': underline ? 'auto' : undefined,
    'style:text-underline-color': underline ? 'font-color' : undefined,
    'style:text-line-through-style': either(strike, 'solid', 'none'),
    'style:text-line-through-type': strike ? 'single' : undefined,
    'fo:color': color,
    'fo:background-color': highlight,
    'style:text-position': script && `${script} 58%`,
  };
}

function inEveryScript(name: string, value: string | number | undefined): Attributes {
  return value ? { [`fo:${name}`]: value, [`style:${name}-asian`]: value, [`style:${name}-complex`]: value } : {};
}

function either(said: boolean | undefined, yes: string, no: string): string | undefined {
  return said === undefined ? undefined : said ? yes : no;
}

/** Text as its runs; one without a look has none. */
export function toRuns(text: Inline): Run[] {
  return [text].flat().map((part) => (typeof part === 'string' ? { text: part } : part));
}

/** The look as `style:text-properties`; empty without a look. */
export function lookProperties(look: Look): string {
  return properties('text', lookAttributes(look));
}

/** Text as the content of a paragraph: spans with automatic styles, and links. */
export function inline(content: Inline, styles: Styles): string {
  if (Array.isArray(content)) return content.map((part) => inline(part, styles)).join('');
  return typeof content === 'string' ? paragraphText(content) : run(content, styles);
}

/** XML in a span with this look. */
export function span(xml: string, look: Look, styles: Styles): string {
  const content = lookProperties(look);
  return content === '' ? xml : `<text:span text:style-name="${styles.style('text', content)}">${xml}</text:span>`;
}

/** A link stands inside its span: Impress and Calc drop the text of a span inside a link. */
function run({ text, link, ...look }: Run, styles: Styles): string {
  const attributes = {
    'xlink:type': 'simple',
    'xlink:href': link,
    'text:style-name': LINK_STYLE,
    'text:visited-style-name': LINK_STYLE,
  };
  const content = paragraphText(text);
  return span(link === undefined ? content : element('text:a', attributes, content), look, styles);
}

/** A font name in quotes (CSS 2 font-family): a comma would begin another one. */
export function fontFamily(font: string): string {
  return font.includes("'") ? `"${font.replaceAll('"', '')}"` : `'${font}'`;
}
