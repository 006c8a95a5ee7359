import { AppError } from '../../src/common/errors.ts';

/** The error that an action is refused with. @throws whatever else it throws, or where it is not refused */
export function refusal(action: () => unknown): AppError {
  try {
    action();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
