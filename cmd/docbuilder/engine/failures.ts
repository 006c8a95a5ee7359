import { statfs } from 'node:fs/promises';
import { type ConvertTask, EngineFailure } from '../domain/ports.ts';
import type { Message } from './lines.ts';

/** The worker died during a task through no fault that is known; another one may try. */
export class WorkerLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkerLost';
  }
}

/** Less free space than this, and a result that could not be written is the disk's fault. */
const FULL_BYTES = 1024 * 1024;

/**
 * Why a task failed on a worker that lives on, from its answer.
 * @param directory where the worker writes results
 */
export async function taskFailure(answer: Message, task: ConvertTask, directory: string): Promise<EngineFailure> {
  const questions = Array.isArray(answer['asked']) ? answer['asked'].map(String) : [];
  const asked = (word: string) => questions.some((question) => question.includes(word));
  const what = `${answer['phase']}: ${answer['type']}`;
  if (asked('Password')) return new EngineFailure('password', what);
  if (asked('OUT_OF_DISK_SPACE')) return new EngineFailure('disk_full', what);
  if (answer['phase'] !== 'store') return new EngineFailure('corrupt', what);
  // LibreOffice says no more than that it could not write.
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < FULL_BYTES) return new EngineFailure('disk_full', what);
  return new EngineFailure(task.options.pages === undefined ? 'corrupt' : 'page_range', what);
}

/** Why a task ended with its worker, from the worker's last words (office.py says them, where it still can). */
export function deathOf(lastWords: Message | undefined): EngineFailure | WorkerLost {
  const message = String(lastWords?.['message'] ?? 'the worker ended');
  switch (lastWords?.['died']) {
    case 'memory':
      return new EngineFailure('memory', message);
    case 'output_limit':
      return new EngineFailure('output_limit', message);
    case 'cpu':
      return new EngineFailure('crashed', 'the document used up the CPU time of a job');
    default:
      return new WorkerLost(message);
  }
}
