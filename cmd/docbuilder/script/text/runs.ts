import type { Inline, Run } from '../../../../src/common/generated/script.ts';
import { inline } from '../inline.ts';
import { scriptGroups } from '../script-groups.ts';
import type { Styles } from '../styles.ts';

/** Text as the content of a paragraph, in pieces: a paragraph may have more text than a string can. */
export function runs(text: Inline, styles: Styles): Iterable<string> {
  return typeof text === 'string' ? [inline(text, styles)] : parts(Array.isArray(text) ? text : [text], styles);
}

function* parts(all: readonly (string | Run)[], styles: Styles): Generator<string> {
  let before: string | Run = '';
  for (const part of all) {
    yield inline(typeof part === 'string' ? part : cutLink(part, before), styles);
    before = part;
  }
}

/** A link as several in a row where groups of scripts change: in docx, LibreOffice may end it there. */
function cutLink(run: Run, before: string | Run): Run[] {
  if (run.link === undefined) return [run];
  return scriptGroups(run.text, typeof before === 'string' ? before : before.text).map((text) => ({ ...run, text }));
}
