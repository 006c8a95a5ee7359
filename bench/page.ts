import { availableParallelism, totalmem } from 'node:os';
import { table } from './format.ts';
import type { Outcome, Row } from './measurement.ts';
import { MIX } from './mix.ts';

export interface Facts {
  /** LibreOffice's version. */
  office: string;
  sandbox: string;
  date: Date;
}

/** The table of what was measured and what is demanded. */
export function summary(rows: readonly Row[]): string {
  return table(
    ['what', 'measured', 'demanded', 'verdict'],
    rows.map(({ what, measured, demanded, holds }) => [what, measured, demanded, holds ? 'holds' : '**missed**']),
  );
}

/** The text above and below the table of a page. */
export interface About {
  title: string;
  /** On what it was measured, as the rest of a sentence. */
  on: string;
  more: string;
}

const mix = MIX.map(([share, name, to]) => `${share} ${name === 'report' ? '30-page docx' : name} to ${to}`);

export const DOCUMENTS: About = {
  title: 'Benchmarks',
  on: 'on the same files, with the same LibreOffice',
  more: `The small files are a page of text with headings, a table and a picture (docx), a price list of 20 rows with formulas (xlsx) and three slides with
pictures (pptx), all in Vietnamese. Of twenty mixed jobs, ${mix.join(', ')}. The service runs as a process of its own, with its
log and audit trail on, an Enterprise licence, and default settings where nothing else is said. The gate and the controller: [benchmarks-cluster.md](benchmarks-cluster.md).`,
};

export const CLUSTER: About = {
  title: 'Benchmarks of the gate and the controller',
  on: 'beside what it is compared with',
  more: 'Documents: [benchmarks.md](benchmarks.md).',
};

/** A page for docs/. */
export function page(about: About, outcomes: ReadonlyMap<string, Outcome>, { office, sandbox, date }: Facts): string {
  const sections = [...outcomes].map(([title, { notes }]) => `## ${title}\n${notes}\n`);
  return `# ${about.title}

Written by \`make bench\` on ${date.toISOString().slice(0, 10)}: ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, LibreOffice ${office}, Node ${process.versions.node}, sandbox
\`${sandbox}\`. Everything was measured in one run, ${about.on}. Read the ratios: milliseconds are this machine's.

${summary([...outcomes.values()].flatMap(({ rows }) => rows))}

${about.more}

${sections.join('\n')}`;
}
