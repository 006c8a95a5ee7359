import { AppError, badRequest, fileTooLarge } from '../../../src/common/errors.ts';
import { diskFull } from '../../../src/common/fs/disk-full.ts';
import { XLS_ROOM } from '../formats.ts';
import { type Engine, EngineFailure, type EngineTask } from './task.ts';

/**
 * Runs a task on the engine.
 * @param options.maxFileBytes the largest result, where the task itself may make more
 * @param options.pages JSON Pointer of the pages in the request
 * @returns pages of each output, and milliseconds inside the engine
 * @throws {AppError}
 */
export async function runTask(
  engine: Engine,
  task: EngineTask,
  signal: AbortSignal,
  { maxFileBytes = task.maxOutputBytes, pages = '/options/pages' }: { maxFileBytes?: number; pages?: string } = {},
): Promise<{ pages: number[]; engineMs: number }> {
  try {
    const result = await engine.run(task, signal);
    return { pages: result.pages, engineMs: result.loadMs + result.storeMs };
  } catch (error) {
    throw error instanceof EngineFailure ? toAppError(error, task, maxFileBytes, pages) : error;
  }
}

function toAppError(cause: EngineFailure, { from, source }: EngineTask, maxBytes: number, pages: string): AppError {
  const { reason } = cause;
  const password = source.password === undefined ? 'missing' : 'wrong';
  const unreadable = (why: string) => new AppError('corrupt_source', { reason: why }, { cause });
  // xls has smaller sheets than LibreOffice, xls and xlsx have smaller cells.
  const noRoom = (limit: object) => fileTooLarge(maxBytes, { subject: 'output', reason, ...limit }, cause);
  switch (reason) {
    case 'password':
      return new AppError('password_required', { reason: password }, { cause });
    case 'corrupt':
      return unreadable('unreadable');
    case 'damaged_part':
      return unreadable('malformed_xml');
    case 'other_format':
      return unreadable(`not_${from}`);
    // Sending the same document again would not help, so these are not errors of the service.
    case 'crashed':
      return unreadable('engine_crashed');
    case 'memory':
      return unreadable('memory_limit');
    case 'output_limit':
      return fileTooLarge(maxBytes, { subject: 'output' }, cause);
    case 'too_many_rows':
      return noRoom({ limit_rows: XLS_ROOM.rows });
    case 'too_many_columns':
      return noRoom({ limit_columns: XLS_ROOM.columns });
    case 'too_long_cells':
      return noRoom({ limit_characters: XLS_ROOM.letters });
    case 'page_range':
      return badRequest({ path: pages, message: 'không chọn trang nào của tài liệu' });
    case 'disk_full':
      return diskFull(cause);
    case 'no_worker':
      return new AppError('pool_unavailable', { reason }, { cause });
  }
}
