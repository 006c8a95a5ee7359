import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFiles } from './files.ts';
import type { Measurement, Outcome, Row } from './measurement.ts';
import { measureBuilding } from './measurements/building.ts';
import { compare } from './measurements/comparison.ts';
import { measureController } from './measurements/controller.ts';
import { measureGate } from './measurements/gate.ts';
import { measureSharedSaves } from './measurements/gate-shared.ts';
import { measureHanging } from './measurements/hanging.ts';
import { measureRecycling } from './measurements/recycling.ts';
import { measureThroughput } from './measurements/throughput.ts';
import { measureThumbnails } from './measurements/thumbnails.ts';
import { type Options, readOptions } from './options.ts';
import { type About, CLUSTER, DOCUMENTS, type Facts, page, summary } from './page.ts';
import { onRelease, releaseAll } from './releases.ts';
import { startService } from './subjects/service.ts';

const DOCS = resolve(import.meta.dirname, '../docs');
const INTERRUPTED = 130;

/** The measurements, by the page that shows them. */
const PAGES: readonly { about: About; file: string; measurements: Record<string, [title: string, of: Measurement]> }[] =
  [
    {
      about: DOCUMENTS,
      file: 'benchmarks.md',
      measurements: {
        comparison: ['Against soffice and unoserver', compare],
        throughput: ['Two workers against one', measureThroughput],
        recycling: ['Recycling', measureRecycling],
        hanging: ['Hanging jobs', measureHanging],
        building: ['Building from scripts', measureBuilding],
        thumbnails: ['Thumbnails', measureThumbnails],
      },
    },
    {
      about: CLUSTER,
      file: 'benchmarks-cluster.md',
      measurements: {
        gate: ['The gate: saves and questions', measureGate],
        shared: ['The gate on PostgreSQL and S3', measureSharedSaves],
        controller: ['The controller', measureController],
      },
    },
  ];

async function run(options: Options): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  onRelease(() => rm(directory, { recursive: true, force: true }));
  const files = await makeFiles(directory);
  const facts = await readFacts(directory);
  const rows: Row[] = [];
  for (const { about, file, measurements } of PAGES) {
    const asked = Object.entries(measurements).filter(
      ([name]) => options.only.length === 0 || options.only.includes(name),
    );
    if (asked.length === 0) continue;
    const outcomes = new Map<string, Outcome>();
    for (const [, [title, measure]] of asked) {
      console.error(`[bench] ${title}`);
      outcomes.set(title, await measure({ options, files, directory }));
    }
    const text = page(about, outcomes, facts);
    console.log(text);
    const whole = asked.length === Object.keys(measurements).length;
    if (whole && !options.quick) await writeFile(join(DOCS, file), text);
    rows.push(...[...outcomes.values()].flatMap((outcome) => outcome.rows));
  }
  console.log(`\n${summary(rows)}`);
  return rows.every(({ holds }) => holds);
}

async function readFacts(directory: string): Promise<Facts> {
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
