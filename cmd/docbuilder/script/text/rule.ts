import type { HorizontalRule } from '../../../../src/common/generated/script.ts';
import { lineValue } from '../table.ts';
import type { BlockBuilder } from './context.ts';
import { blockStyle } from './paragraph.ts';

const RULE = { width: 0.75, color: '#7F7F7F' };

/** A line across the page: the lower border of an empty paragraph. */
export const horizontalRule: BlockBuilder<HorizontalRule> = ({ width, color }, place, context) => {
  const line = lineValue({ width: width ?? RULE.width, color: color ?? RULE.color });
  const style = blockStyle('Horizontal_20_Line', { place, attributes: { 'fo:border-bottom': line } }, context);
  return [`<text:p text:style-name="${style}"/>`];
};
