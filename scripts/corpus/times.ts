import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { median } from '../../bench/statistics.ts';
import type { CommandResults } from './command.ts';
import type { CorpusDocument } from './documents.ts';
import { type OurResults, startIn } from './ours.ts';
import { Records } from './records.ts';
import type { Settings } from './settings.ts';
import { prepareSoffice } from './soffice.ts';

/** Time of a document that takes the command over a second, one at a time on an idle machine. */
export interface TimeRecord {
  path: string;
  build: string;
  office: string;
  /** The command's time without its start, which is what it takes for an empty document. */
  commandMs: number;
  startMs: number;
  /** The whole request to the service. */
  serviceMs: number;
}

const SLOW_MS = 1000;
const SECONDS = 60;
const STARTS = 5;
const ROUNDS = 3;

export function openTimes(settings: Settings): Records<TimeRecord> {
  return new Records(join(settings.results, 'times.jsonl'), ({ path, build, office }) => path + build + office);
}

/**
 * Converts slow documents one by one, by the command and by a service with one worker in turn, each alone on the machine.
 * Medians are kept.
 */
export async function runTimes(
  documents: readonly CorpusDocument[],
  command: CommandResults,
  ours: OurResults,
  settings: Settings,
  build: string,
): Promise<void> {
  const times = openTimes(settings);
  const { office } = settings;
  const slow = documents.filter((document) => {
    const [theirs, record] = [command.of(document), ours.of(document)];
    const both = theirs?.outcome === 'pdf' && theirs.ms > SLOW_MS && record?.convert.status === 200;
    return both && !times.get(document.path + build + office);
  });
  if (slow.length === 0) return;
  const soffice = await prepareSoffice(join(settings.results, 'times'));
  const empty = join(settings.results, 'times', 'empty.txt');
  await writeFile(empty, '');
  // The first one makes the profile.
  await soffice.convert([empty], SECONDS);
  const starts: number[] = [];
  for (let round = 0; round < STARTS; round++) starts.push((await soffice.convert([empty], SECONDS)).ms);
  const startMs = Math.round(median(starts));
  const { service, stop } = await startIn(settings, 'times', 1);
  for (const document of slow) {
    const path = join(settings.documents, document.path);
    const file = await readFile(path);
    const theirs: number[] = [];
    const own: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const run = await soffice.convert([path], SECONDS);
      if (run.end === 'ended') theirs.push(run.ms - startMs);
      const { ms, status } = await service.send('/v1/convert', file, basename(path), { to: 'pdf' });
      if (status === 200) own.push(ms);
    }
    const [commandMs, serviceMs] = [theirs, own].map((values) => Math.round(median(values))) as [number, number];
    if (theirs.length < ROUNDS || own.length < ROUNDS || commandMs < SLOW_MS) continue;
    times.add({ path: document.path, build, office, commandMs, startMs, serviceMs });
    console.log(`times: ${document.path} command ${commandMs} ms, service ${serviceMs} ms`);
  }
  await stop();
}
