import { AppError, badRequest } from '../../../src/common/errors.ts';
import { diskFull } from './disk-full.ts';
import { EngineFailure, type EngineFailureReason } from './ports.ts';

const MB = 1024 * 1024;

/** What the engine could not do, in the words of the interface. Anything else passes through. */
export function engineError(error: unknown, maxFileBytes: number): unknown {
  if (!(error instanceof EngineFailure)) return error;
  return CODES[error.reason](error, maxFileBytes);
}

const CODES: Record<EngineFailureReason, (cause: EngineFailure, maxFileBytes: number) => AppError> = {
  password: (cause) => new AppError('password_required', { reason: 'wrong' }, { cause }),
  corrupt: (cause) => new AppError('corrupt_source', { reason: 'unreadable' }, { cause }),
  // A document that takes down two workers, or needs more than a worker may have, is what is wrong, not the service.
  crashed: (cause) => new AppError('corrupt_source', { reason: 'engine_crashed' }, { cause }),
  memory: (cause) => new AppError('corrupt_source', { reason: 'memory_limit' }, { cause }),
  output_limit: (cause, maxFileBytes) =>
    new AppError('file_too_large', { limit_mb: maxFileBytes / MB, subject: 'output' }, { cause }),
  page_range: () => badRequest({ path: '/options/pages', message: 'names no page of the document' }),
  disk_full: (cause) => diskFull(cause),
  no_worker: (cause) => new AppError('pool_unavailable', { reason: 'no_worker' }, { cause }),
};
