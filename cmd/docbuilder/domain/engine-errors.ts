import { AppError, badRequest } from '../../../src/common/errors.ts';
import { diskFull } from './disk-full.ts';
import { EngineFailure, type EngineFailureReason } from './ports.ts';

const MB = 1024 * 1024;

/**
 * What the engine could not do, in the words of the interface. Anything else passes through.
 * @param pages where the request names pages
 */
export function engineError(error: unknown, maxFileBytes: number, pages = '/options/pages'): unknown {
  if (!(error instanceof EngineFailure)) return error;
  if (error.reason === 'page_range') return badRequest({ path: pages, message: 'selects no page of the document' });
  return CODES[error.reason](error, maxFileBytes);
}

const CODES: Record<
  Exclude<EngineFailureReason, 'page_range'>,
  (cause: EngineFailure, maxFileBytes: number) => AppError
> = {
  password: (cause) => new AppError('password_required', { reason: 'wrong' }, { cause }),
  corrupt: (cause) => new AppError('corrupt_source', { reason: 'unreadable' }, { cause }),
  // A document that takes down two workers, or needs more than a worker may have, is what is wrong, not the service.
  crashed: (cause) => new AppError('corrupt_source', { reason: 'engine_crashed' }, { cause }),
  memory: (cause) => new AppError('corrupt_source', { reason: 'memory_limit' }, { cause }),
  output_limit: (cause, maxFileBytes) =>
    new AppError('file_too_large', { limit_mb: maxFileBytes / MB, subject: 'output' }, { cause }),
  disk_full: (cause) => diskFull(cause),
  no_worker: (cause) => new AppError('pool_unavailable', { reason: 'no_worker' }, { cause }),
};
