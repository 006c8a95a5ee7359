import type { ExtractedText } from '../../../src/common/generated/wire.ts';

export type Part = ExtractedText['parts'][number];

/** A part of a document with the members that are not given empty. */
export function part(kind: Part['kind'], text: string, more: Partial<Part> = {}): Part {
  return { kind, name: null, hidden: false, text, notes: '', comments: [], ...more };
}

/**
 * The text/plain form of a document: its parts with an empty line between them, sheets and slides under their names,
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

/**
 * The beginning of a document.
 * @param maxChars of all texts together, in UTF-16 code units; no character is cut
 */
export function cut(parts: readonly Part[], maxChars: number): { parts: Part[]; truncated: boolean } {
  let left = maxChars;
  let truncated = false;
  const take = (text: string): string => {
    const taken = text.length <= left ? text : text.slice(0, left - (isHighSurrogate(text, left - 1) ? 1 : 0));
    truncated ||= taken.length < text.length;
    left -= taken.length;
    return taken;
  };
  const kept: Part[] = [];
  for (const piece of parts) {
    if (left <= 0 && kept.length > 0) truncated = true;
    if (truncated) break;
    const [text, notes] = [take(piece.text), take(piece.notes)];
    const comments = piece.comments.map((comment) => ({ ...comment, text: take(comment.text) }));
    kept.push({ ...piece, text, notes, comments: comments.filter((comment) => comment.text !== '') });
  }
  return { parts: kept, truncated };
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
