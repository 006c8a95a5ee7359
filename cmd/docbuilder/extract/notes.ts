import { linesText, type Part, part } from './flow.ts';
import type { Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './sax.ts';

/**
 * Returns handlers of notes and comments (ODF 1.3 part 3, sections 6.3 and 14.1). A note is a mark `[1]` in the text and a
 * line `[1] …` in its list.
 */
export function noteElements(reader: Reader): Elements {
  let mark = '';
  let list = reader.footnotes;
  const isShown = () => !reader.style.hidden && !reader.isDeleted;
  const comment: Open = () => (isShown() ? readComment(reader) : SKIP);
  return {
    'text:note': (attributes) => {
      if (!isShown()) return SKIP;
      mark = '';
      list = attributes['text:note-class'] === 'endnote' ? reader.endnotes : reader.footnotes;
      return undefined;
    },
    'text:note-citation': reader.capture((citation) => {
      mark = `[${citation || '*'}]`;
      reader.addMark(mark);
    }),
    'text:note-body': () => {
      const [target, citation] = [list, mark];
      return reader.divert({ style: reader.styles.base('paragraph'), inCell: false }, ({ lines }) => {
        target.push(`${citation} ${linesText(lines)}`.trim());
      });
    },
    'office:annotation': comment,
    'officeooo:annotation': comment,
    'dc:creator': reader.capture((author) => {
      const last = reader.comments.at(-1);
      if (last) last.author = author.replaceAll(/\s+/g, ' ').trim() || null;
    }),
  };
}

function readComment(reader: Reader): () => void {
  const comment = { author: null, cell: reader.cell(), text: '' };
  reader.comments.push(comment);
  return reader.divert({ style: reader.styles.base('graphic'), inCell: false, onPage: false }, ({ lines }) => {
    comment.text = linesText(lines);
    if (comment.text === '') reader.comments.pop();
  });
}

/** A header or footer of a page style. */
export interface PageText {
  kind: 'header' | 'footer';
  masterPage: string;
  text: string;
}

/**
 * Returns handlers of the headers and footers of all page styles, also of first and left pages (ODF 1.3 part 3, section
 * 16.11).
 * @param found receives those with text
 */
export function headerElements(reader: Reader, found: PageText[]): Elements {
  let masterPage = '';
  const read = (kind: PageText['kind']): Open => {
    return (attributes) => {
      if (attributes['style:display'] === 'false') return SKIP;
      return reader.divert({ style: reader.styles.base('paragraph') }, ({ lines }) => {
        const text = linesText(lines).trim();
        if (text !== '') found.push({ kind, masterPage, text });
      });
    };
  };
  const pages = ['', '-left', '-first'].flatMap((page) => [
    [`style:header${page}`, read('header')] as const,
    [`style:footer${page}`, read('footer')] as const,
  ]);
  return {
    'style:master-page': (attributes) => {
      masterPage = attributes['style:name'] ?? '';
    },
    ...Object.fromEntries(pages),
  };
}

/** Returns a part for each different text of one kind, in order. */
export function pageParts(found: readonly PageText[], kind: PageText['kind']): Part[] {
  const texts = new Set(found.filter((page) => page.kind === kind).map(({ text }) => text));
  return [...texts].map((text) => part(kind, text));
}
