import type { Inline, Run } from '../../../src/common/generated/script.ts';
import { namedStyle, properties, type Styles } from './styles.ts';
import { type Attributes, element, paragraphText, pt } from './xml.ts';

/** The look of letters. The text around them has the members that are absent. */
export type Look = Omit<Run, 'text' | 'link'>;

const LINK_STYLE = 'Internet_20_link';

/** The named style of links, which every document with links has to define. */
export function linkStyle(look: Look): string {
  return namedStyle('text', 'Internet link', lookProperties(look));
}

/**
 * The look as attributes of `style:text-properties`. Weight, posture, size and font are said three times because
 * East Asian and right-to-left letters have their own.
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

/** The look as `style:text-properties`, or nothing. */
export function lookProperties(look: Look): string {
  return properties('text', lookAttributes(look));
}

/** Text as the content of a paragraph: spans with automatic styles, and links. */
export function inline(content: Inline, styles: Styles): string {
  if (Array.isArray(content)) return content.map((part) => inline(part, styles)).join('');
  return typeof content === 'string' ? paragraphText(content) : run(content, styles);
}

/** Content that is already XML in a span with this look. */
export function span(xml: string, look: Look, styles: Styles): string {
  const content = lookProperties(look);
  return content === '' ? xml : `<text:span text:style-name="${styles.style('text', content)}">${xml}</text:span>`;
}

/** A link stands inside its span: Impress and Calc drop the text of a span inside a link. */
function run({ text, link, ...look }: Run, styles: Styles): string {
  return span(link === undefined ? paragraphText(text) : linked(text, link), look, styles);
}

function linked(text: string, link: string): string {
  const attributes = {
    'xlink:type': 'simple',
    'xlink:href': link,
    'text:style-name': LINK_STYLE,
    'text:visited-style-name': LINK_STYLE,
  };
  return element('text:a', attributes, paragraphText(text));
}

/** A font name as a list of one (CSS 2 font-family), so that a comma in it separates nothing. */
export function fontFamily(font: string): string {
  return font.includes("'") ? `"${font.replaceAll('"', '')}"` : `'${font}'`;
}
