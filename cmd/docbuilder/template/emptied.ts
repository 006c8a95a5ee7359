/** Elements that must hold a block (ECMA-376 part 1, annex A), for which a paragraph is made. */
const NEEDS_BLOCK = new Set(['w:txbxContent', 'w:hdr', 'w:ftr', 'w:footnote', 'w:endnote', 'w:tc']);
/** Those of them that docxtemplater does not part from the text around them unless it is told to. */
export const BLOCK_HOLDERS = ['w:txbxContent', 'w:footnote', 'w:endnote'];
const TAG = /<(\/?)(w:(?:p|tbl|tr|tc|sdt|txbxContent|hdr|ftr|footnote|endnote))(?: [^>]*?)?(\/?)>/g;

/** An element that is not closed yet. */
interface Open {
  name: string;
  /** The piece in which it begins. */
  piece: number;
  /** It has to hold a row, or a cell, to be of use. */
  isOfTable: boolean;
  isFilled: boolean;
}

/**
 * Mends what has lost all of its content with an empty list, which Word would call a broken document: a table, and a
 * content control of rows, goes, a text box, header, note or cell gets an empty paragraph. docxtemplater does this for
 * other elements, but puts a paragraph into a control whether or not a paragraph may stand there.
 * @param pieces of a part that is filled, in order; those that are mended are changed in place
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

/** Mends an element without content, which ends in a piece with `tag`. @returns whether it stays */
function mend(pieces: string[], { name, piece, isOfTable }: Open, end: number, tag: string): boolean {
  // docxtemplater joins pieces only where it has made a paragraph itself.
  if (pieces[end] !== tag) return true;
  if (NEEDS_BLOCK.has(name)) pieces[end] = `<w:p/>${tag}`;
  if (isOfTable) pieces.fill('', piece, end + 1);
  return !isOfTable;
}
