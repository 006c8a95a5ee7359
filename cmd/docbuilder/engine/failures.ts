import { statfs } from 'node:fs/promises';
import { EngineFailure, type EngineFailureReason, type EngineTask } from './task.ts';
import type { Message } from './worker-process.ts';

/** The worker died, or is about to, during a task through no fault that is known; another one may try. */
export class WorkerLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkerLost';
  }
}

/**
 * By the phase of a job and the name of the exception that picture.py, job.py, parts.py or sheets.py raises in it. An
 * OSError is a library that cannot be loaded.
 */
const REASONS: ReadonlyMap<string, EngineFailureReason> = new Map([
  ['load: OtherFormat', 'other_format'],
  ['load: DamagedPart', 'damaged_part'],
  ['room: TooManyRows', 'too_many_rows'],
  ['room: TooManyColumns', 'too_many_columns'],
  ['room: TooLongCells', 'too_long_cells'],
  ['picture: NoPage', 'page_range'],
  ['picture: MemoryError', 'memory'],
  ['picture: OSError', 'no_worker'],
]);
/** Deaths that are a document's own fault. */
const FAULTS: ReadonlyMap<unknown, string> = new Map([
  ['cpu', 'the document used up the CPU time of a job'],
  ['threads', 'the document made LibreOffice start too many threads'],
  ['stalled', 'LibreOffice stood still over the document'],
]);
/** Less free space than this, and whatever failed is the disk's fault. */
const FULL_BYTES = 1024 * 1024;

/**
 * Makes the failure of a task on a worker that answered, from its answer.
 * @param directory where the worker writes results
 */
export async function taskFailure(
  answer: Message,
  task: EngineTask,
  directory: string,
): Promise<EngineFailure | WorkerLost> {
  const questions = Array.isArray(answer['asked']) ? answer['asked'].map(String) : [];
  const asked = (word: string) => questions.some((question) => question.includes(word));
  const phase = answer['phase'];
  const what = `${phase}: ${answer['type']}`;
  if (asked('Password')) return new EngineFailure('password', what);
  if (asked('OUT_OF_DISK_SPACE')) return new EngineFailure('disk_full', what);
  // LibreOffice says no more than that it could not write, or open what it first writes to a file, as when it decrypts.
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < FULL_BYTES) return new EngineFailure('disk_full', what);
  // The document was opened and stored. LibreOffice closes it first of all on SIGTERM.
  if (phase === 'count') return new WorkerLost(what);
  const output = task.outputs[Number(answer['output'])];
  const asksForPages = output !== undefined && ('image' in output || output.options.pages !== undefined);
  const other = phase === 'picture' ? 'crashed' : phase === 'store' && asksForPages ? 'page_range' : 'corrupt';
  return new EngineFailure(REASONS.get(what) ?? other, what);
}

/** Makes the failure of a task that ended with its worker, from the worker's last words (office.py). */
export function deathFailure(lastWords: Message | undefined): EngineFailure | WorkerLost {
  const message = String(lastWords?.['message'] ?? 'the worker ended');
  const died = lastWords?.['died'];
  if (died === 'memory' || died === 'output_limit') return new EngineFailure(died, message);
  const fault = FAULTS.get(died);
  return fault === undefined ? new WorkerLost(message) : new EngineFailure('crashed', fault);
}
