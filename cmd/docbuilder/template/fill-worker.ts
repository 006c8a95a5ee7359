import { parentPort, workerData } from 'node:worker_threads';
import { AppError, type ErrorCode, type ErrorDetail } from '../../../src/common/errors.ts';
import { orDiskFull } from '../domain/disk-full.ts';
import type { TemplateTask } from '../domain/template.ts';
import { asTemplateError, fillTemplate } from './fill.ts';

/** What a worker says when it is done: an error that has a code, or nothing. Anything else ends it with an exception. */
export type FillReport = { error?: { code: ErrorCode; detail: ErrorDetail; cause: string | undefined } };

const task = workerData as TemplateTask;
let report: FillReport = {};
try {
  await fillTemplate(task);
} catch (thrown) {
  const error = orDiskFull(asTemplateError(thrown, task.maxOutputBytes));
  if (!(error instanceof AppError)) throw error;
  report = { error: { code: error.code, detail: error.detail, cause: nameOf(error.cause) } };
}
parentPort?.postMessage(report);

/** A message may hold text of the document; a name and the places in code do not. */
function nameOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const frames = cause.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return [cause.name, ...frames.slice(0, 5)].join('\n');
}
