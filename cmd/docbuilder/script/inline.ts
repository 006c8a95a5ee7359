import type { Inline, Run } from '../../../src/common/generated/script.ts';
import { properties, type Styles } from './styles.ts';
import { type Attributes, element, paragraphText, pt } from './xml.ts';

/** The look of letters. The text around them has the members that are absent. */
export type Look = Omit<Run, 'text' | 'link'>;

/** The style of links; every document kind that has links defines it. */
export const LINK_STYLE = 'Internet_20_link';

/**
 * The look as attributes of `style:text-properties`. Weight, posture, size and font are said three times because
 * East Asian and right-to-left letters have their own.
 */
export function lookAttributes(look: Look): Attributes {
  const { bold, italic, underline, strike, color, highlight, font, size, script } = look;
  const attributes: Record<string, string> = {};
  if (font !== undefined) Object.assign(attributes, inEveryScript('font-family', fontFamily(font)));
  if (size !== undefined) Object.assign(attributes, inEveryScript('font-size', pt(size)));
  if (bold !== undefined) Object.assign(attributes, inEveryScript('font-weight', bold ? 'bold' : 'normal'));
  if (italic !== undefined) Object.assign(attributes, inEveryScript('font-style', italic ? 'italic' : 'normal'));
  if (underline !== undefined) {
    attributes['style:text-underline-style'] = underline ? 'solid' : 'none';
    if (underline) {
      attributes['style:text-underline-width'] = 'auto';
      attributes['style:text-underline-color'] = 'font-color';
    }
  }
  if (strike !== undefined) {
    attributes['style:text-line-through-style'] = strike ? 'solid' : 'none';
    if (strike) attributes['style:text-line-through-type'] = 'single';
  }
  if (color !== undefined) attributes['fo:color'] = color;
  if (highlight !== undefined) attributes['fo:background-color'] = highlight;
  if (script !== undefined) attributes['style:text-position'] = `${script} 58%`;
  return attributes;
}

/** The look as `style:text-properties`, or nothing. */
export function lookProperties(look: Look): string {
  return properties('text', lookAttributes(look));
}

/** Text as the content of a paragraph: spans with automatic styles, and links. */
export function inline(content: Inline, styles: Styles): string {
  if (typeof content === 'string') return paragraphText(content);
  if (!Array.isArray(content)) return run(content, styles);
  let xml = '';
  for (const part of content) xml += typeof part === 'string' ? paragraphText(part) : run(part, styles);
  return xml;
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

function inEveryScript(name: string, value: string): Record<string, string> {
  return { [`fo:${name}`]: value, [`style:${name}-asian`]: value, [`style:${name}-complex`]: value };
}

/** A font name as a list of one (CSS 2 font-family), so that a comma in it separates nothing. */
export function fontFamily(font: string): string {
  return font.includes("'") ? `"${font.replaceAll('"', '')}"` : `'${font}'`;
}
