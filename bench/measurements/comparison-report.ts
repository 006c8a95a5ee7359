import type { BenchFile } from '../files.ts';
import { milliseconds, percent, table, times } from '../format.ts';
import type { Row } from '../measurement.ts';
import type { Options } from '../options.ts';
import { geometricMean, median, pairedRatio } from '../statistics.ts';

export const SUBJECTS = ['service', 'soffice', 'xmlrpc', 'unoconvert'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** The measurements of one file. */
export interface Series {
  file: BenchFile;
  pages: number;
  /** Milliseconds by round; none where a subject cannot convert the file. */
  ms: Record<Subject, number[]>;
  /** The part of it that the service's engine took. */
  engineMs: number[];
}

const PER_JOB = 8;
const UNOSERVER = 1.4;
const ADDED_MS = 15;
const ADDED_SHARE = 0.15;
const OTHERS = ['soffice', 'xmlrpc', 'unoconvert'] as const satisfies Subject[];

/** The subject's time over the service's. */
const faster = ({ ms }: Series, subject: Subject): number => pairedRatio(ms[subject], ms.service);
const added = ({ ms, engineMs }: Series): number[] =>
  ms.service.map((total, round) => total - (engineMs[round] ?? Number.NaN));
const addedShare = (series: Series): number[] =>
  added(series).map((ms, round) => ms / (series.engineMs[round] ?? Number.NaN));
const format = ({ file }: Series): string => file.name.split('.').at(-1) ?? '';

/** The rows of the table, from the small files. */
export function toRows(small: readonly Series[]): Row[] {
  const [ms, share] = [median(small.flatMap(added)), median(small.flatMap(addedShare))];
  const compared = (what: string, ratios: Ratios, least: number, more = ''): Row => ({
    what,
    measured: `${shown(ratios)}${more}`,
    demanded: `at least ${times(least)}`,
    holds: ratios.mean >= least,
  });
  return [
    compared(
      'small files to PDF over HTTP, against `soffice --convert-to` for each job',
      getRatios(small, 'soffice'),
      PER_JOB,
    ),
    compared(
      'the same against unoserver, kept running, and its command `unoconvert`',
      getRatios(small, 'unoconvert'),
      UNOSERVER,
      `; against its XML-RPC without the command: ${shown(getRatios(small, 'xmlrpc'))}`,
    ),
    {
      what: "what HTTP, queue and supervision add to the engine's own load and store",
      measured: `${milliseconds(ms)}, ${percent(share)}`,
      demanded: `under ${milliseconds(ADDED_MS)} and under ${percent(ADDED_SHARE)}`,
      holds: ms < ADDED_MS && share < ADDED_SHARE,
    },
  ];
}

interface Ratios {
  mean: number;
  each: string[];
}

/** The geometric mean over the files that the subject can convert. */
function getRatios(small: readonly Series[], subject: Subject): Ratios {
  const ratios = small.map((series) => faster(series, subject));
  return {
    mean: geometricMean(ratios.filter((ratio) => !Number.isNaN(ratio))),
    each: small.map((series, index) => `${format(series)} ${orCannot(times, ratios[index])}`),
  };
}

const shown = ({ mean, each }: Ratios): string => `${times(mean)} (${each.join(', ')})`;

/** A subject that cannot convert a file has no figures for it. */
function orCannot(show: (value: number) => string, value = Number.NaN): string {
  return Number.isNaN(value) ? 'cannot' : show(value);
}

export function writeNotes(all: readonly Series[], { rounds, reportRounds }: Options): string {
  const rows = all.map((series) => [
    `${series.file.name}, pages: ${series.pages}`,
    ...[series.ms.service, series.engineMs, added(series)].map((values) => milliseconds(median(values))),
    percent(median(addedShare(series))),
    ...OTHERS.map((subject) => orCannot(milliseconds, median(series.ms[subject]))),
    ...OTHERS.map((subject) => orCannot(times, faster(series, subject))),
  ]);
  const head = ['file', 'over HTTP', 'engine', 'added', 'added share', 'soffice', 'XML-RPC', '`unoconvert`'];
  const refused = all.filter(({ ms }) => ms.xmlrpc.length === 0).map(({ file }) => file.name);
  const without = `\nunoserver cannot convert ${refused.join(', ')} with this LibreOffice: it opens documents with a view, and Debian's packages without a GUI lack
a part of Calc's. Its ratios are those of the other files.\n`;
  return `One client, one request at a time, on a connection that is kept; ${rounds} rounds (${reportRounds} of the report), in each of which every subject converts
every file once, beginning with another subject each time. Times are medians, ratios medians of the ratios within a round, the ratio
of all small files their geometric mean. \`engine\` is load and store as the workers measure them (\`Server-Timing\`), \`added\` is all the rest of a
request: upload, inspection, queue, the worker's own copy of the source, counting pages, the job's record, the answer. soffice has an
ordinary profile that was used before. unoserver is given paths, so that no file goes through its socket: \`XML-RPC\` is timed inside a Python
client that is kept running, \`unoconvert\` is its command, started for each job as its README shows. All PDFs of a file have the same
number of pages.
${refused.length > 0 ? without : ''}
${table([...head, '× soffice', '× XML-RPC', '× `unoconvert`'], rows)}`;
}
