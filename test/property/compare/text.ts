import type { Block, Heading, Image, List, ListItem, Paragraph, Script } from '../../../src/common/generated/script.ts';
import { MARKER } from '../arbitraries/words.ts';
import type { BlockFacts, ImageFacts, ParagraphFacts, TableFacts, TextFacts } from '../support/facts.ts';
import type { Report } from '../support/report.ts';
import { itemObject } from './items.ts';
import { compareMarginal, marginalPieces } from './marginal.ts';
import { compareMeta } from './meta.ts';
import { paperOf } from './paper.ts';
import { compareRuns, type Look, lettersOf, type Piece, pick, piecesOf, textOf } from './pieces.ts';
import { compareLine } from './table.ts';
import { compareTable, paragraphsOf } from './text-table.ts';

const MM = 0.2;
const FORMATS = {
  decimal: 'decimal',
  lower_alpha: 'lowerLetter',
  upper_alpha: 'upperLetter',
  lower_roman: 'lowerRoman',
  upper_roman: 'upperRoman',
};

/**
 * Everything that a text script declares, in a docx or odt.
 * @param high JSON Pointers of tables with a header row that is higher than a page
 */
export function compareText(
  script: Script,
  facts: TextFacts,
  now: Date,
  report: Report,
  high: ReadonlySet<string> = new Set(),
): void {
  compareMeta(script.meta, facts.meta, report);
  comparePage(script, facts, report);
  for (const name of ['header', 'footer'] as const) {
    const marginal = script[name];
    if (!marginal) continue;
    const paragraphs = paragraphsOf(facts[name]);
    const pieces = marginalPieces(marginal, `/${name}`);
    compareMarginal(
      pieces,
      paragraphs.map(({ runs }) => runs),
      { script, now, report },
    );
    if (!marginal.line) continue;
    const ruled = paragraphs.some(({ borders }) => borders.top !== null || borders.bottom !== null);
    report.holds(`/${name}/line`, ruled, 'there is no line');
  }
  compareBody(script, facts.blocks, high, report);
}

function comparePage({ page = {}, header, footer }: Script, { page: found }: TextFacts, report: Report): void {
  const { width, height } = paperOf(page);
  report.same('/page/size width', width, found.width, MM);
  report.same('/page/size height', height, found.height, MM);
  report.same('/page/orientation', width > height, found.landscape);
  for (const side of ['top', 'right', 'bottom', 'left'] as const) {
    const margin = page.margins?.[side];
    if (margin === undefined) continue;
    // A header or footer that needs more than its margin has makes it grow.
    const grown = (side === 'top' && header) || (side === 'bottom' && footer);
    report.same(`/page/margins/${side}`, margin, grown ? Math.min(margin, found[side]) : found[side], MM);
  }
}

/** Walks the declared blocks; what has no marker is found by its order. */
function compareBody(script: Script, blocks: readonly BlockFacts[], high: ReadonlySet<string>, report: Report): void {
  const { body = [], style = {} } = script;
  const top = blocks.filter((block): block is ParagraphFacts => block.table === undefined);
  const tables = blocks.filter((block): block is TableFacts => block.table !== undefined);
  const pictures = top.filter(({ images }) => images.length > 0);
  const rules = top.filter((block) => block.style === 'Horizontal Line');
  const letters: Look = pick(style, ['font', 'size', 'color']);
  const headings: Look = { ...pick(style, ['font', 'color']), ...named(style.heading_font, style.heading_color) };
  let broken = false;
  let last = -1;
  const lists: string[] = [];

  const at = (text: string, pointer: string): ParagraphFacts | undefined => {
    const marker = MARKER.exec(text)?.[0] ?? '';
    const found = top.find(({ runs }) => textOf(runs).includes(marker));
    report.holds(pointer, found !== undefined, `no paragraph has ${JSON.stringify(text)}`);
    return found;
  };
  const textual = (block: Heading | Paragraph, pointer: string): ParagraphFacts | undefined => {
    const base = block.type === 'heading' ? headings : letters;
    const { align, ...look } = block;
    const pieces = piecesOf(block.text, `${pointer}/text`, { ...base, ...lettersOf(look) });
    const found = at(joined(pieces), pointer);
    if (!found) return undefined;
    compareRuns(pieces, found.runs, `${pointer}/text`, report);
    const wanted = align ?? (block.type === 'heading' ? undefined : style.align);
    if (wanted) report.same(`${pointer}/align`, wanted, found.align);
    comparePlacement(block, found, pointer, style, report);
    return found;
  };

  const one = (block: Block, pointer: string): ParagraphFacts | undefined | 'table' => {
    switch (block.type) {
      case 'heading': {
        const found = textual(block, pointer);
        report.same(`${pointer}/level`, `heading ${block.level}`, found?.style?.toLowerCase());
        report.same(`${pointer}/level outline`, block.level, found?.outline);
        if (block.page_break_before && last >= 0) report.same(`${pointer}/page_break_before`, true, found?.breakBefore);
        return found;
      }
      case 'paragraph':
        return textual(block, pointer);
      case 'list':
        return compareList(block, pointer, letters, at, lists, report);
      case 'table': {
        const found = tables.shift();
        report.holds(pointer, found !== undefined, 'there is no table');
        if (found) compareTable(block, pointer, found, { letters, high: high.has(pointer), report });
        if (found && broken) report.same(`${pointer} page break`, true, breaksBefore(found));
        return 'table';
      }
      case 'image':
        return compareImage(block, pointer, pictures.shift(), at, style, report);
      case 'horizontal_rule': {
        const found = rules.shift();
        report.holds(pointer, found !== undefined, 'there is no line');
        const { width = 0.75, color = '#7F7F7F' } = block;
        if (found) compareLine({ width, color }, found.borders.bottom, pointer, report);
        return found;
      }
      case 'page_break':
        return undefined;
    }
  };

  for (const [index, block] of body.entries()) {
    const pointer = `/body/${index}`;
    const found = one(block, pointer);
    if (found && found !== 'table') {
      const place = blocks.indexOf(found);
      report.holds(`${pointer} order`, place > last, 'stands before what is above it');
      last = place;
      if (broken) report.same(`${pointer} page break`, true, found.breakBefore);
    }
    broken = block.type === 'page_break';
  }
  report.same('/body tables', 0, tables.length);
  report.same('/body pictures', 0, pictures.length);
}

function comparePlacement(
  block: Heading | Paragraph,
  found: ParagraphFacts,
  pointer: string,
  style: NonNullable<Script['style']>,
  report: Report,
): void {
  const after = block.space_after ?? (block.type === 'paragraph' ? style.space_after : undefined);
  const line = block.line_spacing ?? (block.type === 'paragraph' ? style.line_spacing : undefined);
  const lengths = [
    ['space_before', block.space_before, found.before, MM],
    ['space_after', after, found.after, MM],
    ['indent_left', block.indent_left, found.left, MM],
    ['indent_right', block.indent_right, found.right, MM],
    ['first_line_indent', block.first_line_indent, found.first, MM],
    ['line_spacing', line, found.line, 1],
  ] as const;
  for (const [name, wanted, actual, tolerance] of lengths) {
    if (wanted !== undefined) report.same(`${pointer}/${name}`, wanted, actual, tolerance);
  }
  if (block.keep_with_next !== undefined) report.same(`${pointer}/keep_with_next`, block.keep_with_next, found.keep);
}

type Finder = (text: string, pointer: string) => ParagraphFacts | undefined;

function compareList(
  list: List,
  pointer: string,
  letters: Look,
  at: Finder,
  lists: string[],
  report: Report,
): ParagraphFacts | undefined {
  let first: ParagraphFacts | undefined;
  const visit = (items: readonly ListItem[], level: number, ordered: boolean, path: string): void => {
    for (const [index, item] of items.entries()) {
      const place = `${path}/${index}`;
      const { text, items: below, ordered: otherwise } = itemObject(item);
      const pieces = piecesOf(text, place, letters);
      const found = at(joined(pieces), place);
      first ??= found;
      if (found) {
        compareRuns(pieces, found.runs, place, report);
        report.same(`${place} level`, level, found.list?.level);
        if (ordered && level === 0)
          report.same(`${place} numbering`, FORMATS[list.numbering ?? 'decimal'], found.list?.format);
        else report.same(`${place} ordered`, ordered, found.list !== null && found.list.format !== 'bullet');
        if (ordered && level === 0) report.same(`${pointer}/start`, list.start ?? 1, found.list?.start);
      }
      if (below) visit(below, level + 1, otherwise ?? ordered, `${place}/items`);
    }
  };
  visit(list.items, 0, list.ordered ?? false, `${pointer}/items`);
  const id = first?.list?.id;
  if (id !== undefined && list.ordered) {
    report.holds(`${pointer} numbers`, !lists.includes(id), 'goes on counting where an earlier list ended');
    lists.push(id);
  }
  return first;
}

function compareImage(
  block: Image,
  pointer: string,
  paragraph: ParagraphFacts | undefined,
  at: Finder,
  style: NonNullable<Script['style']>,
  report: Report,
): ParagraphFacts | undefined {
  const image: ImageFacts | undefined = paragraph?.images[0];
  report.holds(pointer, image !== undefined && image.bytes > 0, 'there is no picture');
  if (paragraph && image) {
    for (const name of ['width', 'height'] as const) {
      if (block[name] !== undefined) report.same(`${pointer}/${name}`, block[name], image[name], MM);
    }
    if (block.alt !== undefined) report.same(`${pointer}/alt`, block.alt, image.alt);
    if (block.align) report.same(`${pointer}/align`, block.align, paragraph.align);
  }
  if (block.caption === undefined) return paragraph;
  const pieces = piecesOf(block.caption, `${pointer}/caption`, pick(style, ['font']));
  const caption = at(joined(pieces), `${pointer}/caption`);
  if (!caption) return paragraph;
  compareRuns(pieces, caption.runs, `${pointer}/caption`, report);
  report.same(`${pointer}/caption style`, 'caption', caption.style?.toLowerCase());
  return paragraph;
}

function breaksBefore({ table }: TableFacts): boolean {
  if (table.breakBefore) return true;
  return paragraphsOf(table.rows[0]?.[0]?.blocks ?? [])[0]?.breakBefore === true;
}

const joined = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');
const named = (font?: string, color?: string): Look => ({ ...(font && { font }), ...(color && { color }) });
