import { writeHead, writeTail } from './document.ts';
import type { FlatBuilder } from './flat.ts';
import { toSheet } from './paper.ts';
import { createStyles } from './styles.ts';
import { blocks } from './text/blocks.ts';
import { namedStyles } from './text/named-styles.ts';
import { pageStyle } from './text/pages.ts';
import { textSettings } from './text/settings.ts';
import { documentStyle } from './text/style.ts';

/** A text document (svcscript `type` = `text`) as flat OpenDocument text. */
export const buildText: FlatBuilder = (script, { pictures, now }) => {
  const styles = createStyles();
  const style = documentStyle(script.style);
  const sheet = toSheet(script.page);
  const page = pageStyle(script, now, sheet, style, styles);
  const context = { styles, style, sheet: { ...sheet, textHeight: sheet.textHeight - page.taken }, pictures };
  return {
    body: blocks(script.body ?? [], context),
    head: () =>
      writeHead({
        kind: 'text',
        meta: script.meta,
        now,
        settings: textSettings(),
        styles: namedStyles(style, script.meta, sheet.textWidth),
        automatic: page.layout + styles.xml(),
        masters: page.master,
      }),
    tail: writeTail('text'),
  };
};
