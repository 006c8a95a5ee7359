import type { ExtractedText } from '../../../src/common/generated/wire.ts';

export type Part = ExtractedText['parts'][number];

/** Creates a part of a document; members that are not given are empty. */
export function part(kind: Part['kind'], text: string, more: Partial<Part> = {}): Part {
  return { kind, name: null, hidden: false, text, notes: '', comments: [], ...more };
}

/**
 * Returns the plain text of a document: its parts with an empty line between them, sheets and slides under their names,
 * speaker notes and comments after the text that they belong to.
 */
export function plainText(parts: readonly Part[]): string {
  return parts
    .map(plainPart)
    .filter((text) => text !== '')
    .join('\n\n');
}

function plainPart({ name, text, notes, comments }: Part): string {
  const heading = name !== null && text.split('\n', 1)[0] !== name ? name : '';
  const remarks = comments.map(({ author, cell, text: remark }) => {
    const by = [cell, author].filter((word) => word !== null).join(', ');
    return by === '' ? remark : `[${by}] ${remark}`;
  });
  const lines = [heading, text].filter((piece) => piece !== '').join('\n');
  return [lines, notes, remarks.join('\n')].filter((piece) => piece !== '').join('\n\n');
}
