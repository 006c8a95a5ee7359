import { writeFile } from 'node:fs/promises';
import type { Inline, Run, Script, Table, TableCell } from '../../src/common/generated/script.ts';

/** The folder that `scripts/setup.sh bench` puts the library into: nothing but the benchmark needs it. */
const LIBRARY = new URL('../../.cache/docx-library/node_modules/docx/dist/index.mjs', import.meta.url).href;

/** The part of the library that is used. */
interface Docx {
  Document: new (options: object) => object;
  Paragraph: new (options: object) => object;
  TextRun: new (options: object) => object;
  Table: new (options: object) => object;
  TableRow: new (options: object) => object;
  TableCell: new (options: object) => object;
  Packer: { toBuffer(document: object): Promise<Buffer> };
}

/** Writes the headings, paragraphs and tables of a text script as docx, as a program that uses `docx` would. */
export async function writeWithDocx(script: Script, path: string): Promise<void> {
  const docx = (await import(LIBRARY)) as Docx;
  const children = (script.body ?? []).flatMap((block) => {
    if (block.type === 'heading') {
      return [new docx.Paragraph({ heading: `Heading${block.level}`, children: runs(docx, block.text) })];
    }
    if (block.type === 'paragraph') return [new docx.Paragraph({ children: runs(docx, block.text) })];
    return block.type === 'table' ? [toTable(docx, block)] : [];
  });
  await writeFile(path, await docx.Packer.toBuffer(new docx.Document({ sections: [{ children }] })));
}

function toTable(docx: Docx, { header, rows }: Table): object {
  const row = (cells: readonly TableCell[], tableHeader: boolean): object =>
    new docx.TableRow({
      tableHeader,
      children: cells.map(
        (cell) => new docx.TableCell({ children: [new docx.Paragraph({ children: runs(docx, toText(cell)) })] }),
      ),
    });
  return new docx.Table({ rows: [...(header ? [row(header, true)] : []), ...rows.map((cells) => row(cells, false))] });
}

function toText(cell: TableCell): Inline {
  return typeof cell === 'object' ? cell.text : String(cell);
}

function runs(docx: Docx, text: Inline): object[] {
  return [text].flat().map((part) => new docx.TextRun(typeof part === 'string' ? { text: part } : look(part)));
}

function look({ text, bold, italic, color }: Run): object {
  return { text, bold, italics: italic, color: color?.slice(1) };
}
