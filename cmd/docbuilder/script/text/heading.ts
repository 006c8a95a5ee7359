import type { Heading } from '../../../../src/common/generated/script.ts';
import type { BlockBuilder } from './context.ts';
import { ownStyle } from './paragraph.ts';
import { runs } from './runs.ts';
import type { StyleName } from './style.ts';

/** A heading: its level is that of its named style, and of the outline. */
export const heading: BlockBuilder<Heading> = function* (block, place, context) {
  const breakBefore = place.breakBefore || block.page_break_before === true;
  // A heading's own space is wider than what a table asks for.
  const style = ownStyle(block, styleName(block.level), { ...place, breakBefore, afterTable: false }, context);
  yield `<text:h text:style-name="${style}" text:outline-level="${block.level}">`;
  yield* runs(block.text, context.styles);
  yield '</text:h>';
};

function styleName(level: number): StyleName {
  return `Heading_20_${level as 1 | 2 | 3 | 4 | 5 | 6}`;
}
