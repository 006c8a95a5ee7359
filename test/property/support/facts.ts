/** What the readers (read/*.py) tell of documents. Lengths are millimetres, font sizes and line widths points. */
export interface RunFacts {
  text: string;
  link: string | null;
  field: string | null;
  bold: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  color: string | null;
  highlight: string | null;
  font: string | null;
  size: number | null;
  script: 'super' | 'sub' | null;
}

export interface LineFacts {
  width: number;
  color: string | null;
}
export type Sides = Record<'top' | 'right' | 'bottom' | 'left', LineFacts | null>;

export interface ImageFacts {
  width: number;
  height: number;
  alt: string;
  /** How many pictures the file has for it. */
  bytes: number;
}

export interface ListFacts {
  /** From 0. */
  level: number;
  format: string | null;
  start: number;
  id?: string;
}

export interface ParagraphFacts {
  table?: undefined;
  style: string | null;
  outline: number | null;
  list: ListFacts | null;
  align: string;
  before: number;
  after: number;
  line: number | null;
  left: number;
  right: number;
  first: number;
  keep: boolean;
  breakBefore: boolean;
  borders: Pick<Sides, 'top' | 'bottom'>;
  runs: RunFacts[];
  images: ImageFacts[];
}

export interface CellFacts {
  blocks: BlockFacts[];
  background: string | null;
  valign: string;
  borders: Sides;
}

export interface TableFacts {
  table: { widths: number[]; headerRows: number; rows: CellFacts[][]; breakBefore?: boolean };
}

export type BlockFacts = ParagraphFacts | TableFacts;

export interface MetaFacts {
  title: string;
  subject: string;
  author: string;
  keywords: string[];
  description: string;
  language: string;
}

export interface TextFacts {
  meta: MetaFacts;
  page: Record<'width' | 'height' | 'top' | 'right' | 'bottom' | 'left', number> & { landscape: boolean };
  header: BlockFacts[];
  footer: BlockFacts[];
  blocks: BlockFacts[];
}

export interface SheetCellFacts {
  value: string | number | boolean | null;
  /** `string`, `number`, `boolean`, or `error`. */
  kind: string;
  formula: string | null;
  format: string;
  bold: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  color: string | null;
  font: string | null;
  size: number | null;
  align: string | null;
  valign: string | null;
  background: string | null;
  wrap: boolean;
  borders: Sides;
}

export interface SheetFacts {
  name: string;
  hidden: boolean;
  tabColor: string | null;
  cells: Record<string, SheetCellFacts>;
  columns: { width: number | null; hidden: boolean }[];
  /** By number of the row, from 1; only heights that are fixed. */
  heights: Record<string, number>;
  freeze: { rows: number; columns: number };
  autofilter: string | null;
  print: {
    width: number | null;
    height: number | null;
    landscape: boolean;
    margins: Record<'top' | 'right' | 'bottom' | 'left', number>;
    fitWidth: number | null;
    fitHeight: number | null;
    repeatRows: number;
    repeatColumns: number;
    gridlines: boolean;
    center: boolean;
    area: string | null;
    /** As text; fields are `{page}`, `{pages}`. */
    header: Record<'left' | 'center' | 'right', string>;
    footer: Record<'left' | 'center' | 'right', string>;
  };
}

export interface WorkbookFacts {
  meta: MetaFacts;
  sheets: SheetFacts[];
}

export interface ShapeFacts {
  kind: 'title' | 'subtitle' | 'body' | 'text' | 'table' | 'picture' | 'line' | 'shape' | 'footer' | 'number' | 'other';
  /** Whether it is a placeholder that its layout has, too. */
  placeholder: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
  geometry: string | null;
  fill: string | null;
  line: LineFacts | null;
  arrow: boolean;
  valign: string | null;
  alt: string;
  bytes: number;
  paragraphs: SlideParagraphFacts[];
  table: { widths: number[]; rows: SlideCellFacts[][] } | null;
}

export interface SlideParagraphFacts {
  level: number;
  /** `bullet`, `number`, or nothing. */
  mark: string | null;
  align: string;
  runs: RunFacts[];
}

export interface SlideCellFacts {
  paragraphs: SlideParagraphFacts[];
  fill: string | null;
  valign: string;
  borders: Sides;
}

export interface DeckFacts {
  meta: MetaFacts;
  width: number;
  height: number;
  slides: {
    shapes: ShapeFacts[];
    background: string | null;
    /** What is shown of it. */
    footer: string | null;
    number: string | null;
    notes: string;
  }[];
}
