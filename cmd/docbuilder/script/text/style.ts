import type { TextStyle } from '../../../../src/common/generated/script.ts';

/** Space above and below a paragraph in millimetres. */
export interface Spaces {
  before: number;
  after: number;
}

/** Names of the paragraph styles that blocks use (see named-styles.ts). */
export type StyleName =
  | 'Text_20_body'
  | `Heading_20_${1 | 2 | 3 | 4 | 5 | 6}`
  | `List_20_${'Bullet' | 'Number'}${'' | '_20_2' | '_20_3'}`
  | 'Figure'
  | 'Caption'
  | 'Horizontal_20_Line';

/** The look of a document's text, complete. Sizes in points, spacing in percent. */
export interface DocumentStyle {
  font: string;
  size: number;
  color: string | undefined;
  align: TextStyle['align'];
  lineSpacing: number;
  headingFont: string;
  headingColor: string;
  spaces: Readonly<Record<StyleName, Spaces>>;
}

/** The font that most offices have; its metric twin Liberation Serif stands in where it is missing. */
const FONT = 'Times New Roman';
const HEADING_FONT = 'Arial';
const HEADING_COLOR = '#1F3864';
const SPACE_AFTER = 2.5;

/** A script's `style` with what it leaves open filled in. Headings follow the text's font and colour if it has any. */
export function documentStyle(style: TextStyle = {}): DocumentStyle {
  return {
    font: style.font ?? FONT,
    size: style.size ?? 12,
    color: style.color,
    align: style.align,
    lineSpacing: style.line_spacing ?? 115,
    headingFont: style.heading_font ?? style.font ?? HEADING_FONT,
    headingColor: style.heading_color ?? style.color ?? HEADING_COLOR,
    spaces: spaces(style.space_after ?? SPACE_AFTER),
  };
}

function spaces(afterText: number): DocumentStyle['spaces'] {
  const item = { before: 0, after: 1 };
  return {
    Text_20_body: { before: 0, after: afterText },
    Heading_20_1: { before: 7, after: 3 },
    Heading_20_2: { before: 6, after: 2.5 },
    Heading_20_3: { before: 5, after: 2 },
    Heading_20_4: { before: 4, after: 1.5 },
    Heading_20_5: { before: 4, after: 1.5 },
    Heading_20_6: { before: 4, after: 1.5 },
    List_20_Bullet: item,
    List_20_Bullet_20_2: item,
    List_20_Bullet_20_3: item,
    List_20_Number: item,
    List_20_Number_20_2: item,
    List_20_Number_20_3: item,
    Figure: { before: 2, after: 2.5 },
    Caption: { before: 0, after: 4 },
    Horizontal_20_Line: { before: 0, after: 3 },
  };
}
