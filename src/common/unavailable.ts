import { AppError } from './errors.ts';

/** The store cannot be reached; a retry may succeed. */
export class Unavailable extends AppError {
  constructor(cause: unknown) {
    super('internal', {}, { status: 503, cause });
  }
}
