import { statfs } from 'node:fs/promises';
import type { Message } from './lines.ts';
import { EngineFailure, type EngineFailureReason, type EngineOutput, type EngineTask } from './task.ts';

/** The worker died, or is about to, during a task through no fault that is known; another one may try. */
export class WorkerLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkerLost';
  }
}

/** By the names of the exceptions of picture.py. An OSError is a library that cannot be loaded. */
const PICTURE_FAILURES: Record<string, EngineFailureReason> = {
  NoPage: 'page_range',
  MemoryError: 'memory',
  OSError: 'no_worker',
};
/** By the names of the exceptions of job.py and parts.py, before and while a document is loaded. */
const LOAD_FAILURES: Record<string, EngineFailureReason> = { OtherFormat: 'other_format', DamagedPart: 'damaged_part' };
/** By the names of the exceptions of sheets.py. */
const ROOM_FAILURES: Record<string, EngineFailureReason> = {
  TooManyRows: 'too_many_rows',
  TooManyColumns: 'too_many_columns',
  TooLongCells: 'too_long_cells',
};
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
  const what = `${answer['phase']}: ${answer['type']}`;
  if (asked('Password')) return new EngineFailure('password', what);
  if (asked('OUT_OF_DISK_SPACE')) return new EngineFailure('disk_full', what);
  // LibreOffice says no more than that it could not write, or open what it first writes to a file, as when it decrypts.
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < FULL_BYTES) return new EngineFailure('disk_full', what);
  if (answer['phase'] === 'room') {
    const reason = ROOM_FAILURES[String(answer['type'])];
    if (reason) return new EngineFailure(reason, what);
  }
  // The document was opened and stored. LibreOffice closes it first of all on SIGTERM.
  if (answer['phase'] === 'count') return new WorkerLost(what);
  if (answer['phase'] === 'load') return new EngineFailure(LOAD_FAILURES[String(answer['type'])] ?? 'corrupt', what);
  if (answer['phase'] !== 'store' && answer['phase'] !== 'picture') return new EngineFailure('corrupt', what);
  if (answer['phase'] === 'picture')
    return new EngineFailure(PICTURE_FAILURES[String(answer['type'])] ?? 'crashed', what);
  return new EngineFailure(asksForPages(task.outputs[Number(answer['output'])]) ? 'page_range' : 'corrupt', what);
}

function asksForPages(output: EngineOutput | undefined): boolean {
  return output !== undefined && ('image' in output || output.options.pages !== undefined);
}

/** Makes the failure of a task that ended with its worker, from the worker's last words (office.py). */
export function deathFailure(lastWords: Message | undefined): EngineFailure | WorkerLost {
  const message = String(lastWords?.['message'] ?? 'the worker ended');
  switch (lastWords?.['died']) {
    case 'memory':
      return new EngineFailure('memory', message);
    case 'output_limit':
      return new EngineFailure('output_limit', message);
    case 'cpu':
      return new EngineFailure('crashed', 'the document used up the CPU time of a job');
    case 'threads':
      return new EngineFailure('crashed', 'the document made LibreOffice start too many threads');
    case 'stalled':
      return new EngineFailure('crashed', 'LibreOffice stood still over the document');
    default:
      return new WorkerLost(message);
  }
}
