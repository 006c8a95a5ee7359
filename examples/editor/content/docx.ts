import { strFromU8, strToU8, unzipSync, type Zippable, zipSync } from 'fflate';
import type { Content } from './content.ts';
import { onlyText, type Paragraph, paragraphText, setParagraphText, splitParagraphs, twin } from './paragraphs.ts';

const PART = 'word/document.xml';

/**
 * The paragraphs of a Word document's body. Only the text that changed is written; formatting, fields, pictures and all
 * other parts of the package stay as they were.
 * @throws {Error} when it is no zip or has no word/document.xml
 */
export function createDocx(bytes: Uint8Array): Content {
  const parts = unzipSync(bytes);
  const xml = parts[PART];
  if (!xml) throw new Error(`no ${PART}`);
  const pieces = splitParagraphs(strFromU8(xml));
  let changed = false;
  const at = (id: string): number => pieces.findIndex((piece) => typeof piece !== 'string' && piece.id === id);
  const paragraph = (index: number): Paragraph | undefined => {
    const piece = pieces[index];
    return typeof piece === 'string' ? undefined : piece;
  };
  return {
    editable: true,
    lines: () =>
      pieces
        .filter((piece) => typeof piece !== 'string')
        .map(({ id, xml, fixed }) => ({ id, text: paragraphText(xml), ...(fixed ? { fixed } : {}) })),
    set(id, text) {
      const found = paragraph(at(id));
      if (!found || found.fixed) return false;
      found.xml = setParagraphText(found.xml, text);
      changed = true;
      return true;
    },
    add(id, after, text) {
      const first = pieces.findIndex((piece) => typeof piece !== 'string');
      const index = after === null ? first : at(after);
      const model = paragraph(index);
      if (!model || at(id) >= 0) return false;
      pieces.splice(after === null ? index : index + 1, 0, { id, xml: setParagraphText(twin(model.xml), text) });
      changed = true;
      return true;
    },
    remove(id) {
      const index = at(id);
      const found = paragraph(index);
      if (!found || found.fixed) return false;
      changed = true;
      const [before, next] = [pieces[index - 1], pieces[index + 1]];
      const endsCell = typeof next === 'string' && /^\s*<\/w:tc>/.test(next) && typeof before === 'string';
      const alone = pieces.filter((piece) => typeof piece !== 'string').length === 1;
      if (endsCell || alone || !onlyText(found.xml)) {
        found.xml = setParagraphText(found.xml, '');
        return 'emptied';
      }
      pieces.splice(index, 1);
      return 'removed';
    },
    render() {
      if (!changed) return bytes;
      const body = pieces.map((piece) => (typeof piece === 'string' ? piece : piece.xml)).join('');
      const files: Zippable = {};
      for (const [name, content] of Object.entries({ ...parts, [PART]: strToU8(body) })) {
        files[name] = [content, { mtime: '1980-01-01' }];
      }
      return zipSync(files);
    },
  };
}
