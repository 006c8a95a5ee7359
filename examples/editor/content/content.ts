import { extname } from 'node:path';
import { createDocx } from './docx.ts';
import { createPlainText } from './plain-text.ts';

/** The editable content of a document: its paragraphs, each with an id that lasts as long as the document is open. */
export interface Content {
  /** False where only the file as a whole can be saved again. */
  readonly editable: boolean;
  lines(): Line[];
  /** @returns false when there is no such line or it cannot be edited */
  set(id: string, text: string): boolean;
  /** @param after null for the beginning */
  add(id: string, after: string | null, text: string): boolean;
  /** `emptied`: the file needs a paragraph there. */
  remove(id: string): 'removed' | 'emptied' | false;
  /** The file as it is now. */
  render(): Uint8Array;
}

export interface Line {
  id: string;
  text: string;
  /** Shown only: it holds more than this editor can keep while it is edited. */
  fixed?: true;
}

/** @throws {Error} when the bytes are not what the name says */
export function openContent(name: string, bytes: Uint8Array): Content {
  switch (extname(name).toLowerCase()) {
    case '.docx':
      return createDocx(bytes);
    case '.txt':
    case '.csv':
      return createPlainText(bytes);
    default:
      return {
        editable: false,
        lines: () => [],
        set: () => false,
        add: () => false,
        remove: () => false,
        render: () => bytes,
      };
  }
}
