import { availableParallelism } from 'node:os';
import { table } from '../../bench/format.ts';
import { type Comparison, ENOUGH_WORDS } from './compare.ts';
import { answerText, type Difference, findDifferences } from './differences.ts';
import { otherExtensions } from './documents.ts';
import { getAnswers, type RunRecord } from './ours.ts';
import type { Settings } from './settings.ts';
import type { TimeRecord } from './times.ts';

/** Input of the page. */
export interface Findings {
  settings: Settings;
  comparisons: readonly Comparison[];
  /** Why PDFs differ that differ for a reason outside of the service. */
  reasons: ReadonlyMap<Comparison, string>;
  timed: readonly TimeRecord[];
  /** Endings of the runs with this version of the service. */
  runs: readonly RunRecord[];
}

const FAMILIES = { text: 'text documents', sheet: 'spreadsheets', slides: 'presentations' };
const SLOWEST = 10;

/** The text of docs/compatibility.md. */
export function compatibilityPage(findings: Findings): string {
  const { settings, comparisons } = findings;
  const date = new Date().toISOString().slice(0, 10);
  return `# Compatibility

Written by \`make corpus\` on ${date}: ${comparisons.length} documents of other people, LibreOffice ${settings.office}, ${availableParallelism()} cores.

The documents are those that LibreOffice is tested with, from the folders \`sw\`, \`sc\` and \`sd\` of its source: nearly each was attached to the report of a
fault, many are broken on purpose. Every one was sent to \`/v1/convert\` (to pdf), \`/v1/extract/text\`, \`/v1/extract/meta\` and \`/v1/extract/thumbnail\`, and
converted by \`soffice --headless --convert-to pdf\` of the same packages.
${untried(settings)}

${overview(comparisons)}

- **command**, **service**: the number of files that became a PDF. Neither is told the password of a protected file. The command takes nearly any bytes for text; see [below](#only-the-command-converts).
- **same pages**, **same text**: the share of the files that both converted. The texts are those of poppler's \`pdftotext -enc UTF-8\`, in normal form C, with each run of white space as one space. They are
  the same if every character is. The list below names documents whose text differs between two runs of the command, because it has random numbers or the time of day in it.
- **words**: the share of the words in the service's PDFs that the answer of \`/v1/extract/text\` has, too. A word is two or more letters in a row, in spreadsheets also digits. White space, capitals,
  hyphens and the brackets of notes are ignored, and so is the last digit of a fraction, which a narrow column cuts off. Files with fewer than ${ENOUGH_WORDS * 100} % are listed below.
- **refused**: the number of answers with a code of the interface (4xx), each listed below.

## How the run went
${runSection(findings)}

## Time
${timeSection(findings.timed)}

${differenceSections(findings)}`;
}

function untried(settings: Settings): string {
  const others = [...otherExtensions(settings)].filter(([, files]) => files > 1).toSorted((a, b) => b[1] - a[1]);
  const documents = others.filter(([extension]) =>
    /^(od[gm]|fodg|sx[wcid]|xlsb|xml|x?html|wks|wb2|slk|dbf|dif|sdw)$/.test(extension),
  );
  const counts = documents.map(([extension, files]) => `${files} ${extension}`).join(', ');
  return counts === '' ? '' : `Not tried, since [no format of the service](api.md#convert): ${counts}.`;
}

function overview(comparisons: readonly Comparison[]): string {
  const rows = Object.entries(FAMILIES).flatMap(([family, name]) => {
    const members = comparisons.filter(({ document }) => document.family === family);
    const extensions = [...new Set(members.map(({ document }) => document.extension))];
    const groups = extensions.map((extension) => members.filter(({ document }) => document.extension === extension));
    const sorted = groups.toSorted((a, b) => b.length - a.length);
    return [
      countAll(`**${name}**`, members),
      ...sorted.map((group) => countAll(group[0]?.document.extension ?? '', group)),
    ];
  });
  const head = ['', 'files', 'command', 'service', 'same pages', 'same text', 'words', 'refused'];
  return table(head, [...rows, countAll('**all**', comparisons)]);
}

function countAll(name: string, members: readonly Comparison[]): string[] {
  const [theirs, our] = [members.filter(isTheirs), members.filter(isOurs)];
  const both = theirs.filter(isOurs);
  const words = our.reduce((sum, one) => sum + one.words, 0);
  const found = our.reduce((sum, one) => sum + one.found, 0);
  return [
    name,
    ...[members.length, theirs.length, our.length].map(String),
    share(both.filter(samePages).length, both.length),
    share(both.filter(({ sameText }) => sameText).length, both.length),
    words === 0 ? '' : `${floor((100 * found) / words)} %`,
    String(members.filter(({ ours }) => ours.convert.status >= 400 && ours.convert.status < 500).length),
  ];
}

function runSection({ comparisons, runs, settings }: Findings): string {
  const answers = comparisons.flatMap(({ ours }) => getAnswers(ours));
  const count = (test: (status: number) => boolean) => answers.filter(({ status }) => test(status)).length;
  const died = comparisons.filter(({ ours }) => getAnswers(ours).some(({ deaths = 0 }) => deaths > 0));
  const command = (outcome: string, among = comparisons) =>
    among.filter((one) => one.command.outcome === outcome).length;
  return `- ${answers.length} requests, ${settings.workers} at a time: ${count((status) => status === 200)} answered with 200, ${count((status) => status >= 400 && status < 500)} refused (4xx), ${count((status) => status === 504)} longer than a request in the
  foreground may be (504), ${count((status) => status >= 500 && status !== 504)} other server errors (5xx), ${count((status) => status === 1)} without an answer, ${count((status) => status === 0)} with a dropped connection.
- ${died.length} documents killed a worker; the command crashes with ${command('crashed', died)} of them. In all, the command crashed with ${command('crashed')} documents, and was stopped after
  60 s with ${command('late')}.
${leftSection(runs)}`;
}

function leftSection(runs: readonly RunRecord[]): string {
  if (runs.length === 0) return '- No run with this version of the service came to its end.';
  const left = runs.flatMap(({ files, processes }) => [...files, ...processes]);
  const sum = (member: 'restarts' | 'requests' | 'deaths') => runs.reduce((total, run) => total + run[member], 0);
  return `- Left over when the service was stopped: ${left.length === 0 ? 'no process, no temporary file' : left.join(', ')}. Of its workers ${sum('restarts')} were replaced in ${sum('requests')} requests, ${sum('deaths')}
  because they died, the others because their time was up.`;
}

function timeSection(timed: readonly TimeRecord[]): string {
  if (timed.length === 0) return 'Not measured in this run.';
  const ratio = ({ commandMs, serviceMs }: TimeRecord) => serviceMs / commandMs;
  const sorted = timed.toSorted((a, b) => ratio(b) - ratio(a));
  const at = (part: number) => ratio(sorted[Math.floor((1 - part) * (sorted.length - 1))] as TimeRecord).toFixed(2);
  const rows = sorted
    .slice(0, SLOWEST)
    .map((one) => [one.path, ...[one.commandMs, one.serviceMs].map((ms) => `${ms} ms`), `${ratio(one).toFixed(2)}×`]);
  return `${timed.length} files take the command over a second, without its start (${timed[0]?.startMs} ms: the median of five runs with an empty file, subtracted). Each was converted by the command
and by a service with one worker, one after the other with nothing beside. A whole request took ${at(0.5)}× as long as the command in the median, ${at(0.9)}× for nine of ten files.
The files with the largest ratio:

${table(['file', 'command', 'service', 'ratio'], rows)}`;
}

const HEADINGS: Record<Difference['kind'] | 'neither', [heading: string, about: string]> = {
  'no proper answer': ['No proper answer', 'A server error, a timeout, or nothing at all.'],
  'only the command converts': ['Only the command converts', 'What the service answers instead.'],
  'only the service converts': ['Only the service converts', ''],
  'other number of pages': [
    'Other number of pages',
    "The command's, the service's, and why where the service is not the reason.",
  ],
  'other text': ['Other text', 'Why, where the service is not the reason.'],
  'endpoints disagree': ['Endpoints disagree', 'One can do something with the document, another one cannot.'],
  'words not extracted': [
    'Words not extracted',
    `Less than ${ENOUGH_WORDS * 100} % of the words of the PDF are in the answer of \`/v1/extract/text\`.`,
  ],
  neither: ['Neither converts', 'The answer of the service, and how the command ended.'],
};

/** Every difference by its kind, with each file. */
function differenceSections({ comparisons, reasons }: Findings): string {
  const lines = new Map<keyof typeof HEADINGS, string[]>();
  const add = (kind: keyof typeof HEADINGS, { document }: Comparison, ...notes: string[]) => {
    const note = notes.filter((part) => part !== '').join('; ');
    lines.set(kind, [...(lines.get(kind) ?? []), `- \`${document.path}\`${note === '' ? '' : `: ${note}`}`]);
  };
  for (const one of comparisons) {
    for (const { kind, detail } of findDifferences(one)) {
      const ofPdf = kind === 'other text' || kind === 'other number of pages';
      add(kind, one, detail, (ofPdf && reasons.get(one)) || '');
    }
    if (!isOurs(one) && !isTheirs(one)) add('neither', one, answerText(one.ours.convert), one.command.outcome);
  }
  const kinds = Object.entries(HEADINGS) as [keyof typeof HEADINGS, [string, string]][];
  return kinds
    .flatMap(([kind, [heading, about]]) => {
      const found = lines.get(kind) ?? [];
      return found.length === 0 ? [] : [`## ${heading}\n${files(found)} ${about}\n\n${found.join('\n')}\n`];
    })
    .join('\n');
}

/** Number of documents that get a line. */
function files(lines: readonly string[]): string {
  const count = new Set(lines.map((line) => line.split('`')[1])).size;
  return count === 1 ? 'One file.' : `${count} files.`;
}

const isTheirs = ({ command }: Comparison) => command.outcome === 'pdf';
const isOurs = ({ ours }: Comparison) => ours.convert.status === 200;
const samePages = ({ command, ours }: Comparison) => command.pages === ours.convert.pages;

function share(part: number, all: number): string {
  return all === 0 ? '' : `${part} of ${all}`;
}

function floor(percent: number): string {
  return (Math.floor(percent * 100) / 100).toFixed(2);
}
