/** Elements that must hold a block (ECMA-376 part 1, annex A). */
const NEEDS_BLOCK = new Set(['w:txbxContent', 'w:hdr', 'w:ftr', 'w:footnote', 'w:endnote', 'w:tc']);
/** Those that docxtemplater does not make pieces by default. */
export const BLOCK_HOLDERS = ['w:txbxContent', 'w:footnote', 'w:endnote'];
const TAG = /<(\/?)(w:(?:p|tbl|tr|tc|sdt|txbxContent|hdr|ftr|footnote|endnote))(?: [^>]*?)?(\/?)>/g;

/** An open element. */
interface Open {
  name: string;
  /** The piece in which it begins. */
  piece: number;
  /** It holds rows or cells. */
  isOfTable: boolean;
  isFilled: boolean;
}

/**
 * Mends elements that an empty list leaves without content: Word calls such a document broken. A table, and a content
 * control of rows, is removed; a text box, header, note or cell gets an empty paragraph. docxtemplater does this for other
 * elements only, and puts a paragraph into any control.
 * @param pieces of a filled part, in order, changed in place
 */
export function mendEmptied(pieces: string[]): string[] {
  const open: Open[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (!/^<\/?w:/.test(piece)) continue;
    for (const [tag, slash, name = '', selfClosing] of piece.matchAll(TAG)) {
      if (slash || selfClosing) {
        const element = slash ? open.pop() : undefined;
        const stays = !element || element.isFilled || mend(pieces, element, index, tag);
        const parent = open.at(-1);
        if (parent && stays) parent.isFilled = true;
      } else {
        open.push({ name, piece: index, isOfTable: isOfTable(name, open.at(-1)), isFilled: false });
      }
    }
  }
  return pieces;
}

function isOfTable(name: string, parent: Open | undefined): boolean {
  if (name !== 'w:sdt') return name === 'w:tbl';
  return parent?.name === 'w:tr' || parent?.isOfTable === true;
}

/** Mends an empty element whose last piece has `tag`. @returns false if it is removed */
function mend(pieces: string[], { name, piece, isOfTable }: Open, end: number, tag: string): boolean {
  // docxtemplater joins pieces only where it has added a paragraph itself.
  if (pieces[end] !== tag) return true;
  if (NEEDS_BLOCK.has(name)) pieces[end] = `<w:p/>${tag}`;
  if (isOfTable) pieces.fill('', piece, end + 1);
  return !isOfTable;
}
