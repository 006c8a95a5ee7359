import { type Look, lookAttributes } from '../inline.ts';
import { properties, type Styles } from '../styles.ts';
import { element } from '../xml.ts';

export type Align = 'left' | 'center' | 'right' | 'justify';

/** The look of a paragraph. */
export interface ParagraphLook extends Look {
  align?: Align | undefined;
  /** Space above it as a value of `fo:margin-top`. */
  above?: string;
}

/**
 * One paragraph. Its look is said on the paragraph itself and not on the frame: of a frame's look, pptx loses size
 * and weight.
 * @param content XML
 */
export function paragraph(content: string, look: ParagraphLook, styles: Styles): string {
  return element('text:p', { 'text:style-name': paragraphStyle(look, styles) }, content);
}

/** Name of the automatic style with this look. */
export function paragraphStyle({ align, above = '0mm', ...look }: ParagraphLook, styles: Styles): string {
  const place = {
    'fo:text-align': align,
    'fo:margin-top': above,
    'fo:margin-bottom': '0mm',
    'fo:margin-left': '0mm',
    'fo:text-indent': '0mm',
  };
  return styles.style('paragraph', properties('paragraph', place) + properties('text', lookAttributes(look)));
}
