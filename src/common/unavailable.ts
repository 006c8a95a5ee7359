import { AppError } from './errors.ts';

/** The store cannot be reached at the moment. It is worth trying again. */
export class Unavailable extends AppError {
  constructor(cause: unknown) {
    super('internal', {}, { status: 503, cause });
  }
}
