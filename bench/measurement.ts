import type { BenchFiles } from './files.ts';
import type { Options } from './options.ts';

/** The tools of a measurement. */
export interface Bench {
  options: Options;
  files: BenchFiles;
  /** A temporary folder. */
  directory: string;
}

/** One line of the table: a promise, what was measured, and whether it holds. */
export interface Row {
  what: string;
  measured: string;
  demanded: string;
  holds: boolean;
}

/** The findings of a measurement. */
export interface Outcome {
  rows: Row[];
  /** The method and further observations, as Markdown. */
  notes: string;
}

/** Measures one thing; leaves nothing running. */
export type Measurement = (bench: Bench) => Promise<Outcome>;
