import { anchoredElements } from './anchored.ts';
import { textOf } from './flow.ts';
import { distinct, headerElements, type PageText } from './headers.ts';
import type { Package } from './package.ts';
import { paragraphElements, readText } from './paragraphs.ts';
import { type Part, part } from './part.ts';
import { createReader, type ReaderOptions } from './reader.ts';
import { tableElements } from './tables.ts';
import { walk } from './walk.ts';

/**
 * Reads a text document: headers, the body, its footnotes and endnotes, footers. Comments belong to the part in which
 * they are anchored.
 */
export async function readTextDocument(
  opened: Package,
  options: ReaderOptions,
  signal: AbortSignal | undefined,
): Promise<Part[]> {
  const enough = options.output.enough;
  const pages: PageText[] = [];
  const margins = createReader(options, 'paragraph');
  const common = { ...paragraphElements(margins), ...tableElements(margins), ...anchoredElements(margins) };
  const elements = { ...options.styles.elements, ...common, ...headerElements(margins, pages) };
  await opened.parse(
    'styles.xml',
    walk(elements, (text) => readText(margins, text), enough),
    signal,
  );

  const body = createReader(options, 'paragraph');
  const content = {
    ...options.styles.elements,
    ...paragraphElements(body),
    ...tableElements(body),
    ...anchoredElements(body),
  };
  await opened.parse(
    'content.xml',
    walk(content, (text) => readText(body, text), enough),
    signal,
  );

  return [
    ...distinct(pages, 'header').map((text) => part('header', text)),
    part('body', textOf(body.flow), { comments: body.comments }),
    ...noteParts('footnotes', [...margins.footnotes, ...body.footnotes]),
    ...noteParts('endnotes', body.endnotes),
    ...distinct(pages, 'footer').map((text) => part('footer', text)),
  ];
}

function noteParts(kind: 'footnotes' | 'endnotes', notes: readonly string[]): Part[] {
  return notes.length > 0 ? [part(kind, notes.join('\n'))] : [];
}
