import { anchoredElements } from './anchored.ts';
import { changeElements } from './changes.ts';
import { fieldMarkElements } from './field-marks.ts';
import { textOf } from './flow.ts';
import { distinct, headerElements, type PageText } from './headers.ts';
import { objectElements } from './objects.ts';
import { paragraphElements, readText } from './paragraphs.ts';
import { type Part, part } from './part.ts';
import { createReader, type ReaderOptions, type Reading } from './reader.ts';
import { tableElements } from './tables.ts';

/**
 * Reads a text document: headers, the body, its footnotes and endnotes, footers. Comments belong to the body, wherever
 * they are anchored.
 */
export function readTextDocument(options: ReaderOptions): Reading {
  const reader = createReader(options, 'paragraph');
  const pages: PageText[] = [];
  return {
    elements: {
      ...paragraphElements(reader),
      ...tableElements(reader),
      ...anchoredElements(reader),
      ...objectElements(reader),
      ...changeElements(reader),
      ...fieldMarkElements(reader),
      ...headerElements(reader, pages),
    },
    text: (text) => readText(reader, text),
    parts: () => [
      ...distinct(pages, 'header').map((text) => part('header', text)),
      part('body', textOf(reader.flow), { comments: reader.comments }),
      ...noteParts('footnotes', reader.footnotes),
      ...noteParts('endnotes', reader.endnotes),
      ...distinct(pages, 'footer').map((text) => part('footer', text)),
    ],
  };
}

function noteParts(kind: 'footnotes' | 'endnotes', notes: readonly string[]): Part[] {
  return notes.length > 0 ? [part(kind, notes.join('\n'))] : [];
}
