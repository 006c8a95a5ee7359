import type { BenchFiles } from './files.ts';
import { seededRandom, shuffled } from './statistics.ts';
import { type Call, convertCall } from './subjects/service.ts';

/** One job of a load. */
export interface Job extends Call {
  kind: 'small' | 'report' | 'hanging';
}

/** Twenty jobs in a row, in some order. The report has about ten times the work of a small file. */
export const MIX = [
  [5, 'docx', 'pdf'],
  [4, 'xlsx', 'pdf'],
  [3, 'pptx', 'pdf'],
  [2, 'docx', 'odt'],
  [2, 'xlsx', 'csv'],
  [1, 'docx', 'txt'],
  [1, 'pptx', 'odp'],
  [2, 'report', 'pdf'],
] as const;

/** `count` jobs in the proportions of MIX; the same ones for the same seed. */
export function mixedJobs(files: BenchFiles, count: number, seed: number): Job[] {
  const random = seededRandom(seed);
  const [docx, xlsx, pptx] = files.small;
  const sources = { docx, xlsx, pptx, report: files.report };
  const deal = MIX.flatMap(([share, name, to]) => {
    const job: Job = { ...convertCall(sources[name], to), kind: name === 'report' ? 'report' : 'small' };
    return Array.from({ length: share }, () => job);
  });
  const jobs: Job[] = [];
  while (jobs.length < count) jobs.push(...shuffled(deal, random));
  return jobs.slice(0, count);
}
