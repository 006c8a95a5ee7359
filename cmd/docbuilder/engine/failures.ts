import { stat } from 'node:fs/promises';
import { EngineFailure, type EngineFailureReason, type EngineTask } from './task.ts';
import type { Message } from './worker-process.ts';

/** The worker died, or is about to, of no known fault of the document; the task may be tried once more. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

/** By the phase of a job and the exception raised in it. An OSError is a library that cannot be loaded. */
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
/**
 * With less free space or fewer free files than this, any failure is the disk's. So it is with less space than the
 * document has bytes: LibreOffice has removed by then what it wrote.
 */
const FULL_BYTES = 1024 * 1024;
const FULL_FILES = 16;

/** Returns the failure that a worker answers with (worker.py, perform). */
export async function taskFailure(answer: Message, task: EngineTask): Promise<EngineFailure | WorkerLost> {
  const questions = Array.isArray(answer['asked']) ? answer['asked'].map(String) : [];
  const asked = (word: string) => questions.some((question) => question.includes(word));
  const phase = answer['phase'];
  const what = `${phase}: ${answer['type']}`;
  if (asked('Password')) return new EngineFailure('password', what);
  if (asked('OUT_OF_DISK_SPACE')) return new EngineFailure('disk_full', what);
  // LibreOffice may report a full disk as any error, also of a load that writes a temporary file first.
  const [bytes, files] = Array.isArray(answer['free']) ? answer['free'].map(Number) : [];
  const least = Math.max(FULL_BYTES, (await stat(task.input)).size);
  if (Number(bytes) < least || Number(files) < FULL_FILES) return new EngineFailure('disk_full', what);
  // The document was stored; LibreOffice closes it when it gets a SIGTERM.
  if (phase === 'count') return new WorkerLost(what);
  const output = task.outputs[Number(answer['output'])];
  const asksForPages = output !== undefined && ('image' in output || output.options.pages !== undefined);
  const other = phase === 'picture' ? 'crashed' : phase === 'store' && asksForPages ? 'page_range' : 'corrupt';
  return new EngineFailure(REASONS.get(what) ?? other, what);
}

/** Returns the failure of a task whose worker died, by the worker's last message (office.py, Watch). */
export function deathFailure(lastWords: Message | undefined): EngineFailure | WorkerLost {
  const message = String(lastWords?.['message'] ?? 'the worker ended');
  const died = lastWords?.['died'];
  if (died === 'memory' || died === 'output_limit') return new EngineFailure(died, message);
  const isFault = died === 'cpu' || died === 'threads' || died === 'stalled';
  return isFault ? new EngineFailure('crashed', `${died}: ${message}`) : new WorkerLost(message);
}
