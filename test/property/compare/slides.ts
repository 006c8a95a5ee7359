import type { Element, ListItem, Script, Slide, SlideContent } from '../../../src/common/generated/script.ts';
import type { DeckFacts, ShapeFacts, SlideParagraphFacts } from '../support/facts.ts';
import type { Report } from '../support/report.ts';
import { itemObject } from './items.ts';
import { compareMeta } from './meta.ts';
import { clean, compareRuns, type Look, lettersOf, piecesOf } from './pieces.ts';
import { compareLine, compareWidths, declaredRows } from './table.ts';

const MM = 0.3;
const WIDTHS = { '16:9': 338.67, '4:3': 254 };
const GEOMETRIES: Record<string, string> = {
  rectangle: 'rect',
  rounded_rectangle: 'roundRect',
  ellipse: 'ellipse',
  triangle: 'triangle',
  diamond: 'diamond',
};

/** Everything that a script of slides declares, in a pptx or odp. */
export function compareSlides(script: Script, facts: DeckFacts, _now: Date, report: Report): void {
  compareMeta(script.meta, facts.meta, report);
  const { slides = [], slide_style: style = {} } = script;
  report.same('/slide_size', WIDTHS[script.slide_size ?? '16:9'], facts.width, MM);
  report.same('/slide_size height', 190.5, facts.height, MM);
  report.same('/slides', slides.length, facts.slides.length);
  for (const [index, slide] of slides.entries()) {
    const found = facts.slides[index];
    if (!found) continue;
    const pointer = `/slides/${index}`;
    const background = slide.background ?? (slide.layout === 'section' ? style.accent : style.background);
    if (background) report.same(`${pointer}/background`, background, found.background);
    const marginals = slide.layout !== 'title';
    report.same(`${pointer} footer`, (marginals && style.footer) || null, found.footer);
    report.same(`${pointer} slide_number`, marginals && style.slide_numbers === true, found.number !== null);
    if (slide.notes !== undefined)
      report.same(`${pointer}/notes`, clean(slide.notes), found.notes.replaceAll('\v', '\n'));
    const shapes = [...found.shapes];
    comparePlaceholders(slide, shapes, pointer, script, report);
    for (const [place, element] of (slide.elements ?? []).entries()) {
      compareElement(element, shapes, `${pointer}/elements/${place}`, script, report);
    }
  }
}

/** Takes the first shape of a kind away. */
function take(shapes: ShapeFacts[], kinds: readonly ShapeFacts['kind'][]): ShapeFacts | undefined {
  const index = shapes.findIndex(({ kind }) => kinds.includes(kind));
  return index < 0 ? undefined : shapes.splice(index, 1)[0];
}

function comparePlaceholders(
  slide: Slide,
  shapes: ShapeFacts[],
  pointer: string,
  script: Script,
  report: Report,
): void {
  const { slide_style: style = {} } = script;
  if (slide.layout === 'blank') return;
  const letters = fontOf(script);
  const titleFont = style.title_font ?? style.font;
  const titles: Look = titleFont ? { font: titleFont } : {};
  const title = take(shapes, ['title']);
  report.holds(`${pointer}/title`, title?.placeholder === true, 'there is no title placeholder');
  if (title) compareRuns(piecesOf(slide.title, `${pointer}/title`, titles), runsOf(title), `${pointer}/title`, report);
  if (slide.layout === 'title' || slide.layout === 'section') {
    if (slide.subtitle === undefined) return;
    const subtitle = take(shapes, ['subtitle', 'body']);
    report.holds(`${pointer}/subtitle`, subtitle?.placeholder === true, 'there is no placeholder for the subtitle');
    const pieces = piecesOf(slide.subtitle, `${pointer}/subtitle`, letters);
    if (subtitle) compareRuns(pieces, runsOf(subtitle), `${pointer}/subtitle`, report);
  } else {
    const areas = slide.layout === 'content' ? { content: slide.content } : { left: slide.left, right: slide.right };
    for (const [name, area] of Object.entries(areas)) {
      if (area === undefined && slide.layout === 'content') continue;
      const body = take(shapes, ['body', 'subtitle']);
      if (area !== undefined) compareArea(area, body, `${pointer}/${name}`, letters, report);
    }
  }
}

function compareArea(
  area: SlideContent,
  found: ShapeFacts | undefined,
  pointer: string,
  letters: Look,
  report: Report,
): void {
  report.holds(pointer, found?.placeholder === true, 'there is no placeholder');
  if (!found) return;
  if (typeof area === 'string') {
    compareRuns(piecesOf(area, pointer, letters), runsOf(found), pointer, report);
    report.same(`${pointer} mark`, null, found.paragraphs[0]?.mark);
  } else {
    compareItems(area, found.paragraphs, false, pointer, letters, report);
  }
}

function compareItems(
  items: readonly ListItem[],
  paragraphs: readonly SlideParagraphFacts[],
  ordered: boolean,
  pointer: string,
  letters: Look,
  report: Report,
): void {
  let next = 0;
  const visit = (some: readonly ListItem[], level: number, numbered: boolean, path: string): void => {
    for (const [index, item] of some.entries()) {
      const at = `${path}/${index}`;
      const { text, items: below, ordered: otherwise } = itemObject(item);
      const found = paragraphs[next++];
      report.holds(at, found !== undefined, 'there is no paragraph');
      if (found) {
        compareRuns(piecesOf(text, at, letters), found.runs, at, report);
        report.same(`${at} level`, level, found.level);
        report.same(`${at} mark`, numbered ? 'number' : 'bullet', found.mark);
      }
      if (below) visit(below, level + 1, otherwise ?? numbered, `${at}/items`);
    }
  };
  visit(items, 0, ordered, pointer);
}

function compareElement(element: Element, shapes: ShapeFacts[], pointer: string, script: Script, report: Report): void {
  const line = element.type === 'shape' && (element.shape === 'line' || element.shape === 'arrow');
  const kind = line
    ? 'line'
    : element.type === 'bullets'
      ? 'text'
      : element.type === 'image'
        ? 'picture'
        : element.type;
  const found = take(shapes, [kind]);
  report.holds(pointer, found !== undefined, `there is no ${kind}`);
  if (!found) return;
  for (const name of ['x', 'y', 'width', 'height'] as const) {
    // A table grows with what is in it.
    if (name === 'height' && element.type === 'table') continue;
    const wanted = element[name];
    if (wanted !== undefined) report.same(`${pointer}/${name}`, wanted, found[name], MM);
  }
  const letters = { ...fontOf(script), ...lettersOf(element) };
  switch (element.type) {
    case 'text':
      compareRuns(piecesOf(element.text, `${pointer}/text`, letters), runsOf(found), `${pointer}/text`, report);
      if (element.align) report.same(`${pointer}/align`, element.align, found.paragraphs[0]?.align);
      break;
    case 'bullets': {
      const { size: _, ...others } = letters;
      compareItems(element.items, found.paragraphs, element.ordered ?? false, `${pointer}/items`, others, report);
      break;
    }
    case 'table':
      compareTable(element, found, pointer, { ...fontOf(script) }, report);
      return;
    case 'image':
      report.holds(pointer, found.bytes > 0, 'there is no picture');
      if (element.alt !== undefined) report.same(`${pointer}/alt`, element.alt, found.alt);
      return;
    case 'shape':
      compareShape(element, found, pointer, letters, report);
      break;
  }
  if (!line && element.background) report.same(`${pointer}/background`, element.background, found.fill);
  if (element.border) compareLine(element.border, found.line, `${pointer}/border`, report);
  if (!line && element.valign && found.paragraphs.length > 0)
    report.same(`${pointer}/valign`, element.valign, found.valign);
}

function compareShape(
  element: Extract<Element, { type: 'shape' }>,
  found: ShapeFacts,
  pointer: string,
  letters: Look,
  report: Report,
): void {
  const geometry = GEOMETRIES[element.shape];
  const tall = element.shape === 'rounded_rectangle' && element.height > element.width ? ', tall' : '';
  if (geometry) report.same(`${pointer}/shape${tall}`, geometry, found.geometry);
  else if (element.border?.width !== 0) report.same(`${pointer}/shape`, element.shape === 'arrow', found.arrow);
  if (element.text === undefined || !geometry) return;
  compareRuns(piecesOf(element.text, `${pointer}/text`, letters), runsOf(found), `${pointer}/text`, report);
  if (element.align) report.same(`${pointer}/align`, element.align, found.paragraphs[0]?.align);
}

function compareTable(
  element: Extract<Element, { type: 'table' }>,
  { table }: ShapeFacts,
  pointer: string,
  letters: Look,
  report: Report,
): void {
  const rows = declaredRows(element, pointer);
  compareWidths(element.columns, table?.widths ?? [], rows[0]?.length ?? 0, pointer, report);
  report.same(`${pointer}/rows`, rows.length, table?.rows.length);
  for (const [index, row] of rows.entries()) {
    for (const { pointer: place, column, cell } of row) {
      const found = table?.rows[index]?.[column];
      report.holds(place, found !== undefined, 'there is no cell');
      if (!found) continue;
      const size = cell.size ?? element.size;
      const look = { ...letters, ...(size && { size }), ...lettersOf(cell) };
      compareRuns(
        piecesOf(cell.text, place, look),
        found.paragraphs.flatMap(({ runs }) => runs),
        place,
        report,
      );
      if (cell.align) report.same(`${place}/align`, cell.align, found.paragraphs[0]?.align);
      if (cell.valign) report.same(`${place}/valign`, cell.valign, found.valign);
      if (cell.background) report.same(`${place}/background`, cell.background, found.fill);
    }
  }
}

function runsOf({ paragraphs }: ShapeFacts) {
  return paragraphs.flatMap(({ runs }) => runs);
}

/** The colours of the slides' style give way where they could not be read; so they are no promise for each text. */
function fontOf({ slide_style: style = {} }: Script): Look {
  return style.font ? { font: style.font } : {};
}
