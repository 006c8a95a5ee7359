import { expect } from 'chai';
import fc from 'fast-check';
import type { Script } from '../../src/common/generated/script.ts';
import { sheetScript } from './arbitraries/sheet.ts';
import { slidesScript } from './arbitraries/slides.ts';
import { textScript } from './arbitraries/text.ts';
import { comparePdf } from './compare/pdf.ts';
import { printedTexts } from './compare/printed.ts';
import { compareSheets } from './compare/sheet.ts';
import { compareSlides } from './compare/slides.ts';
import { compareText } from './compare/text.ts';
import { shownTexts } from './compare/texts.ts';
import { type Builder, type File, NOW, startBuilder } from './support/builder.ts';
import type { DeckFacts, TextFacts, WorkbookFacts } from './support/facts.ts';
import { highHeaders } from './support/high-headers.ts';
import type { Loss } from './support/known-losses.ts';
import { missingReader, pdfText, type Reader, startReader } from './support/reader.ts';
import { createReport, type Report } from './support/report.ts';

/** Of scripts in all. 500 take some minutes. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 45);
/** Repeats a run; fast-check names its seed when it fails. Always the same scripts, unless somebody asks for a search. */
const SEED = process.env['PROPERTY_SEED'] ?? (process.env['PROPERTY_RUNS'] ? undefined : '20261121');
const WORKERS = 2;
const SHRINK_MS = 30_000;

const KINDS = { text: textScript, sheet: sheetScript, slides: slidesScript };

describe('random scripts, built', function () {
  this.timeout(3_600_000);
  let builder: Builder;
  let reader: Reader;
  const losses = new Set<Loss>();

  before(async function () {
    const reason = missingReader();
    if (reason !== undefined) {
      process.stderr.write(`      skipped: ${reason}\n`);
      this.skip();
    }
    reader = startReader();
    builder = await startBuilder(WORKERS);
  });
  after(async () => {
    reader?.stop();
    await builder?.stop();
    for (const { formats, reason } of losses) process.stdout.write(`      known: ${formats.join(', ')}: ${reason}\n`);
  });

  async function compare(script: Script, { format, path }: File): Promise<Report> {
    const report = createReport(format);
    if (format === 'pdf') {
      const texts = script.type === 'sheet' ? printedTexts(script) : shownTexts(script);
      comparePdf([...texts], await pdfText(path), report);
    } else if (script.type === 'text') {
      const facts = await reader.read<TextFacts>(path, format);
      compareText(script, facts, NOW, report, await highHeaders(script, facts, builder));
    } else if (script.type === 'sheet') {
      compareSheets(script, await reader.read<WorkbookFacts>(path, format), NOW, report);
    } else {
      compareSlides(script, await reader.read<DeckFacts>(path, format), NOW, report);
    }
    return report;
  }

  /** @returns how many declared things were looked for, and what of them is missing */
  async function check(script: Script): Promise<{ checked: number; missing: string[] }> {
    const reports: Report[] = [];
    await builder.build(script, async (files) => {
      reports.push(...(await Promise.all(files.map((file) => compare(script, file)))));
    });
    for (const report of reports) for (const loss of report.losses) losses.add(loss);
    return {
      checked: reports.reduce((sum, report) => sum + report.checked, 0),
      missing: reports.flatMap(({ missing }) => missing),
    };
  }

  for (const [kind, arbitrary] of Object.entries(KINDS)) {
    it(`${kind}: every declared element is found again in every format`, async () => {
      const runs = Math.ceil(RUNS / 3);
      const began = performance.now();
      let checked = 0;
      let failedAt = Number.POSITIVE_INFINITY;
      // Two at a time: one is read while the other is made.
      const property = fc.asyncProperty(arbitrary, arbitrary, async (...scripts) => {
        if (performance.now() - failedAt > SHRINK_MS) return;
        const results = await Promise.all(scripts.map(check));
        for (const result of results) checked += result.checked;
        const missing = results.flatMap((result) => result.missing);
        if (missing.length > 0) failedAt = Math.min(failedAt, performance.now());
        if (missing.length > 0) expect.fail(`not found again:\n${missing.slice(0, 20).join('\n')}`);
      });
      await fc.assert(property, { numRuns: Math.ceil(runs / 2), ...(SEED && { seed: Number(SEED) }) });
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      process.stdout.write(`      ${runs} scripts, ${checked} declared elements found again, ${seconds} s\n`);
    });
  }
});
