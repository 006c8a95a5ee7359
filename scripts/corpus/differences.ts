import { type Comparison, ENOUGH_WORDS } from './compare.ts';
import type { Answer } from './service.ts';

/** One thing that is other than it should be. */
export interface Difference {
  kind:
    | 'no proper answer'
    | 'only the command converts'
    | 'only the service converts'
    | 'other number of pages'
    | 'other text'
    | 'endpoints disagree'
    | 'words not extracted';
  detail: string;
}

/** Lists the differences between the command and the service, or wrong with an endpoint. */
export function findDifferences({ command, ours, sameText, words, found }: Comparison): Difference[] {
  const { convert, text, meta, thumbnail } = ours;
  const answers = Object.entries({ convert, text, meta, thumbnail });
  const [theirs, our] = [command.outcome === 'pdf', convert.status === 200];
  const differences: Difference[] = [];
  const add = (kind: Difference['kind'], detail: string) => differences.push({ kind, detail });

  for (const [name, answer] of answers.filter(([, { status }]) => status < 200 || status >= 500)) {
    add('no proper answer', `${name} ${answerText(answer)}`);
  }
  if (theirs && !our) add('only the command converts', answerText(convert));
  if (!theirs && our) add('only the service converts', `command: ${command.outcome}`);
  if (theirs && our && command.pages !== convert.pages)
    add('other number of pages', `${command.pages}, ${convert.pages}`);
  else if (theirs && our && !sameText) add('other text', '');
  for (const [name, answer] of answers) {
    const agrees = answer.status === convert.status && answer.code === convert.code;
    if (!agrees) add('endpoints disagree', `${name} ${answerText(answer)}, convert ${answerText(convert)}`);
  }
  if (our && text.status === 200 && found < words * ENOUGH_WORDS) add('words not extracted', `${found} of ${words}`);
  return differences;
}

/** An answer in a few words. */
export function answerText({ status, code, reason }: Answer): string {
  if (status === 0) return 'connection dropped';
  if (status === 1) return 'nothing in time';
  return [status, code, reason].filter((part) => part !== undefined).join(' ');
}
