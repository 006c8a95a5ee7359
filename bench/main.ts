import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFiles } from './files.ts';
import type { Measurement, Outcome } from './measurement.ts';
import { measureBuilding } from './measurements/building.ts';
import { compare } from './measurements/comparison.ts';
import { measureController } from './measurements/controller.ts';
import { measureGate } from './measurements/gate.ts';
import { measureHanging } from './measurements/hanging.ts';
import { measureRecycling } from './measurements/recycling.ts';
import { measureThroughput } from './measurements/throughput.ts';
import { measureThumbnails } from './measurements/thumbnails.ts';
import { type Options, readOptions } from './options.ts';
import { type Facts, page, summary } from './page.ts';
import { onRelease, releaseAll } from './releases.ts';
import { startService } from './subjects/service.ts';

const PAGE = resolve(import.meta.dirname, '../docs/benchmarks.md');
const INTERRUPTED = 130;

const MEASUREMENTS: Record<string, [title: string, measure: Measurement]> = {
  comparison: ['Against soffice and unoserver', compare],
  throughput: ['Two workers against one', measureThroughput],
  recycling: ['Recycling', measureRecycling],
  hanging: ['Hanging jobs', measureHanging],
  building: ['Building from scripts', measureBuilding],
  thumbnails: ['Thumbnails', measureThumbnails],
  gate: ['The gate: saves and questions', measureGate],
  controller: ['The controller', measureController],
};

async function run(options: Options): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  onRelease(() => rm(directory, { recursive: true, force: true }));
  const files = await makeFiles(directory);
  const outcomes = new Map<string, Outcome>();
  for (const [name, [title, measure]] of Object.entries(MEASUREMENTS)) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    console.error(`[bench] ${title}`);
    outcomes.set(title, await measure({ options, files, directory }));
  }
  const facts = await factsOf(directory);
  const rows = [...outcomes.values()].flatMap((outcome) => outcome.rows);
  console.log(page(outcomes, facts));
  if (!options.quick && options.only.length === 0) await writeFile(PAGE, page(outcomes, facts));
  console.log(`\n${summary(rows)}`);
  return rows.every(({ holds }) => holds);
}

async function factsOf(directory: string): Promise<Facts> {
  const service = await startService(directory, { SVC_DOCBUILDER_WORKERS: '1' });
  const { core, sandbox } = await service.status();
  await service.stop();
  return { office: core.version, sandbox, date: new Date() };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void releaseAll().finally(() => process.exit(INTERRUPTED));
  });
}
try {
  process.exitCode = (await run(readOptions(process.env))) ? 0 : 1;
} finally {
  await releaseAll();
}
