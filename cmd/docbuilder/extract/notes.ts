import { createFlow, linesText } from './flow.ts';
import type { Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './sax.ts';

/**
 * Handlers of notes and comments (ODF 1.3 part 3, sections 6.3 and 14.1). A note is a mark `[1]` in the text and a line
 * `[1] …` in its list.
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
      const flow = createFlow();
      const [target, citation] = [list, mark];
      const restore = reader.divert(flow, { style: reader.styles.base('paragraph'), inCell: false });
      return () => {
        restore();
        target.push(`${citation} ${linesText(flow.lines)}`.trim());
      };
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
  const flow = createFlow();
  const comment = { author: null, cell: reader.cell(), text: '' };
  const restore = reader.divert(flow, { style: reader.styles.base('graphic'), inCell: false, onPage: false });
  reader.comments.push(comment);
  return () => {
    restore();
    comment.text = linesText(flow.lines);
    if (comment.text === '') reader.comments.pop();
  };
}
