import type { Block } from '../../../src/common/generated/script.ts';
import type { ContentBuilder } from './document.ts';
import { pageGeometry } from './page.ts';
import { Styles } from './styles.ts';
import { list } from './text/list.ts';
import { pageStyle } from './text/pages.ts';
import type { BlockBuilder, TextContext } from './text/paragraph.ts';
import { blockStyle, heading, horizontalRule, image, paragraph } from './text/paragraph.ts';
import { documentStyle, namedStyles, textSettings } from './text/styles.ts';
import { table } from './text/table.ts';

/** A text document (svcscript `type` = `text`). */
export const buildText: ContentBuilder = (script, { pictures, now }) => {
  const styles = new Styles();
  const style = documentStyle(script.style);
  const page = pageGeometry(script.page);
  const { layout, master, taken } = pageStyle(script, now, page, style.size, styles);
  const context = { styles, style, page: { ...page, textHeight: page.textHeight - taken }, pictures };
  return {
    kind: 'text',
    body: blocks(script.body ?? [], context),
    head: () => ({
      settings: textSettings(),
      styles: namedStyles(style, script.meta, page.textWidth),
      automatic: layout + styles.xml,
      masters: master,
    }),
  };
};

/** As high as the space between a table and a paragraph. */
const GAP = '<text:p text:style-name="Table_20_Gap"/>';
/** As low as a paragraph can be. */
const SEPARATOR = '<text:p text:style-name="Table_20_Separator"/>';

/** A page break is an attribute of the next block. Only an empty page has a paragraph of its own. */
function* blocks(body: readonly Block[], context: TextContext): Iterable<string> {
  const breakBefore = { 'fo:break-before': 'page' };
  const emptyPage = () =>
    `<text:p text:style-name="${blockStyle('Text_20_body', { attributes: breakBefore }, context)}"/>`;
  let previous: Block['type'] = 'page_break';
  let broken = false;
  let headings = 0;
  for (const [index, block] of body.entries()) {
    const afterTable = previous === 'table' && !broken;
    // Two tables would become one, and a page break after one would be on the wrong page in docx.
    if (afterTable && block.type === 'table') yield GAP;
    else if (afterTable && beginsPage(block)) yield SEPARATOR;
    if (block.type === 'page_break') {
      if (index === 0) yield '<text:p text:style-name="Text_20_body"/>';
      else if (broken) yield emptyPage();
      broken = true;
      continue;
    }
    if (broken || beginsPage(block)) headings = 0;
    const build = BUILDERS[block.type] as BlockBuilder<Block>;
    yield* build(block, { pointer: `/body/${index}`, breakBefore: broken, afterTable, headings }, context);
    headings = block.type === 'heading' ? headings + 1 : 0;
    previous = block.type;
    broken = false;
  }
  if (broken) yield emptyPage();
  // Every format has a paragraph there. By default it is a line high and could begin a page.
  else if (previous === 'table') yield SEPARATOR;
}

function beginsPage(block: Block): boolean {
  return block.type === 'page_break' || (block.type === 'heading' && block.page_break_before === true);
}

const BUILDERS: { [Type in Block['type']]: BlockBuilder<Extract<Block, { type: Type }>> } = {
  ...{ heading, paragraph, list, table, image, horizontal_rule: horizontalRule },
  page_break: () => [],
};
