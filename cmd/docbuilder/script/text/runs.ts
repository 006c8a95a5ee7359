import type { Inline, Run } from '../../../../src/common/generated/script.ts';
import { inline } from '../inline.ts';
import { scriptGroups } from '../script-groups.ts';
import type { Styles } from '../styles.ts';

/** Text as the content of a paragraph. */
export function runs(text: Inline, styles: Styles): string {
  if (typeof text === 'string') return inline(text, styles);
  const parts = Array.isArray(text) ? text : [text];
  return inline(
    parts.flatMap<string | Run>((part, index) => (typeof part === 'string' ? part : cutLink(part, parts[index - 1]))),
    styles,
  );
}

/** A link as several in a row where groups of scripts change: in docx, LibreOffice may end it there. */
function cutLink(run: Run, before: string | Run = ''): Run[] {
  if (run.link === undefined) return [run];
  return scriptGroups(run.text, typeof before === 'string' ? before : before.text).map((text) => ({ ...run, text }));
}
