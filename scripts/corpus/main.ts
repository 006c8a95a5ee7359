/**
 * Runs LibreOffice's own test documents through the service and through the command of the same packages, and writes
 * docs/compatibility.md. `make corpus`; CORPUS_ONLY=sw,tdf1234 for paths with one of these in them, CORPUS_LIMIT=200 for
 * a sample (CORPUS_SEED draws another), CORPUS_PARTS=service,page for some of the parts (settings.ts), CORPUS_KEEP=1 to
 * repeat only what was different, or what the command had no time for, whatever version of the service it was.
 * Results stay in .cache/corpus/results: a run goes on where the last one ended, and begins anew with what the service
 * makes when the service's code has changed. `--sample` writes test/corpus/sample.json instead.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Causes, runAgain } from './causes.ts';
import { CommandResults, runCommandOver } from './command.ts';
import { type Comparison, compareAll } from './compare.ts';
import { findDifferences } from './differences.ts';
import { type CorpusDocument, listDocuments } from './documents.ts';
import { getBuild, OurResults, runServiceOver } from './ours.ts';
import { compatibilityPage } from './page.ts';
import { drawSample } from './sample.ts';
import { readSettings } from './settings.ts';
import { openTimes, runTimes } from './times.ts';

const root = resolve(import.meta.dirname, '../..');
const settings = readSettings();
const documents = listDocuments(settings);
const build = getBuild();
const command = new CommandResults(settings, 'command');
const ours = new OurResults(settings, 'service');
const compare = () => compareAll(documents, command, ours);
const pdfsDiffer = ({ command: theirs, ours: { convert }, sameText }: Comparison) =>
  theirs.outcome === 'pdf' && convert.status === 200 && !(sameText && theirs.pages === convert.pages);

const parts = {
  command: () => runCommandOver(documents, command, settings, { name: 'command', again: settings.keep }),
  async service() {
    const wrong = new Set(
      (await compare()).filter((one) => findDifferences(one).length > 0).map((one) => one.document),
    );
    const isOpen = (document: CorpusDocument) =>
      settings.keep ? !ours.of(document) || wrong.has(document) : ours.of(document)?.build !== build;
    await runServiceOver(documents.filter(isOpen), ours, settings, 'service');
  },
  again: async () =>
    runAgain(
      (await compare()).filter(pdfsDiffer).map(({ document }) => document),
      settings,
    ),
  times: () => runTimes(documents, command, ours, settings, build),
  async page() {
    const comparisons = await compare();
    const causes = new Causes(settings, ours);
    const reasons = new Map<Comparison, string>();
    for (const one of comparisons.filter(pdfsDiffer)) {
      const reason = await causes.of(one, await command.readText(one.document));
      if (reason !== undefined) reasons.set(one, reason);
    }
    const times = openTimes(settings);
    const timed = documents.flatMap(({ path }) => times.get(path + build + settings.office) ?? []);
    const runs = ours.runs.all().filter((run) => run.build === build);
    const text = compatibilityPage({ settings, comparisons, reasons, timed, runs });
    writeFileSync(join(root, 'docs/compatibility.md'), text);
  },
};

console.log(`${documents.length} documents of LibreOffice ${settings.office}`);
if (process.argv.includes('--sample'))
  drawSample(await compare(), settings.office, join(root, 'test/corpus/sample.json'));
else for (const part of settings.parts) await parts[part]();
