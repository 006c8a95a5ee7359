import type { Script } from '../../../src/common/generated/script.ts';
import type { Surroundings } from './build.ts';

/** A flat OpenDocument file (ODF 1.3 part 3, `office:document`) in the making: head, body and tail make the file. */
export interface FlatDocument {
  /** The body in pieces, each made when it is asked for: all of it may be larger than memory. */
  body: Iterable<string>;
  /** All that stands before the body; complete only once the body was gone through: the styles it needs are in it. */
  head(): string;
  tail: string;
}

/** Makes a document of a checked script. */
export type FlatBuilder = (script: Script, surroundings: Surroundings) => FlatDocument;

export type { Surroundings } from './build.ts';
export type { Picture } from './check/pictures.ts';
