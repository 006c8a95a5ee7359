import { AppError, badRequest, fileTooLarge } from '../../../src/common/errors.ts';
import { diskFull } from '../../../src/common/fs/disk-full.ts';
import { XLS_ROOM } from '../formats.ts';
import { corrupt } from '../source/source-errors.ts';
import { type Engine, EngineFailure, type EngineFailureReason, type EngineTask } from './task.ts';

/**
 * Runs a task on the engine.
 * @param options.maxFileBytes the largest result, where the task itself may make more
 * @param options.pages JSON Pointer of the pages in the request
 * @returns pages of each output, and milliseconds inside the engine
 * @throws {AppError} the engine's failure as the interface's error
 */
export async function runTask(
  engine: Engine,
  task: EngineTask,
  signal: AbortSignal,
  options: { maxFileBytes?: number; pages?: string } = {},
): Promise<{ pages: number[]; engineMs: number }> {
  const { maxFileBytes = task.maxOutputBytes, pages = '/options/pages' } = options;
  try {
    const result = await engine.run(task, signal);
    return { pages: result.pages, engineMs: result.loadMs + result.storeMs };
  } catch (error) {
    throw engineError(error, task, maxFileBytes, pages);
  }
}

/** Anything else than a failure of the engine passes through. */
function engineError(error: unknown, task: EngineTask, maxFileBytes: number, pages: string): unknown {
  if (!(error instanceof EngineFailure)) return error;
  if (error.reason === 'page_range') return badRequest({ path: pages, message: 'không chọn trang nào của tài liệu' });
  if (error.reason === 'other_format') return corrupt(`not_${task.from}`, error);
  if (error.reason === 'password') {
    const reason = task.source.password === undefined ? 'missing' : 'wrong';
    return new AppError('password_required', { reason }, { cause: error });
  }
  return CODES[error.reason](error, maxFileBytes);
}

const CODES: Record<
  Exclude<EngineFailureReason, 'page_range' | 'password' | 'other_format'>,
  (cause: EngineFailure, maxFileBytes: number) => AppError
> = {
  corrupt: (cause) => new AppError('corrupt_source', { reason: 'unreadable' }, { cause }),
  damaged_part: (cause) => corrupt('malformed_xml', cause),
  // A document that takes down two workers, or needs more than a worker may have, is what is wrong, not the service.
  crashed: (cause) => new AppError('corrupt_source', { reason: 'engine_crashed' }, { cause }),
  memory: (cause) => new AppError('corrupt_source', { reason: 'memory_limit' }, { cause }),
  output_limit: (cause, maxFileBytes) => fileTooLarge(maxFileBytes, { subject: 'output' }, cause),
  too_many_rows: (cause, maxFileBytes) => noRoom(cause, maxFileBytes, { limit_rows: XLS_ROOM.rows }),
  too_many_columns: (cause, maxFileBytes) => noRoom(cause, maxFileBytes, { limit_columns: XLS_ROOM.columns }),
  too_long_cells: (cause, maxFileBytes) => noRoom(cause, maxFileBytes, { limit_characters: XLS_ROOM.letters }),
  disk_full: (cause) => diskFull(cause),
  no_worker: (cause) => new AppError('pool_unavailable', { reason: 'no_worker' }, { cause }),
};

/** Excel's old format has smaller sheets, and both have smaller cells. */
function noRoom(cause: EngineFailure, maxFileBytes: number, limit: object): AppError {
  return fileTooLarge(maxFileBytes, { subject: 'output', reason: cause.reason, ...limit }, cause);
}
