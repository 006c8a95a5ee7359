import type { BenchFiles } from './files.ts';
import type { Options } from './options.ts';

/** What a measurement works with. */
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

/** What a measurement found. */
export interface Outcome {
  rows: Row[];
  /** How it was measured and what else was seen, as Markdown. */
  notes: string;
}

/** Measures one thing; leaves nothing running. */
export type Measurement = (bench: Bench) => Promise<Outcome>;
