import type { Picture } from '../flat.ts';
import type { Sheet } from '../paper.ts';
import type { Styles } from '../styles.ts';
import type { DocumentStyle } from './style.ts';

/** The parts that all blocks of a text document share. */
export interface TextContext {
  styles: Styles;
  style: DocumentStyle;
  sheet: Sheet;
  pictures: ReadonlyMap<string, Picture>;
}

/** The place of a block. */
export interface BlockPlace {
  /** JSON Pointer of the block. */
  pointer: string;
  /** It begins a page. */
  breakBefore: boolean;
  /** It follows a table, which has no space below it of its own: the formats do not agree on one. */
  afterTable: boolean;
  /** So many headings stand directly above it, on the same page if it leaves them room. */
  headings: number;
}

/** The XML of one block, in pieces. */
export type BlockBuilder<Block> = (block: Block, place: BlockPlace, context: TextContext) => Iterable<string>;
