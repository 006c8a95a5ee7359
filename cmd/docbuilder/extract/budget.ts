import { fileTooLarge } from '../../../src/common/errors.ts';

/** Counts the text that is read, so that a small document that repeats itself cannot fill the memory. */
export interface Budget {
  /**
   * Counts `text` in, `times` over, before it is built; a negative number takes it back.
   * @returns how often to build it
   * @throws {AppError} `file_too_large` {limit_mb, subject: 'output'}
   */
  take(text: string, times?: number): number;
}

/**
 * Creates a budget of bytes in UTF-8.
 * @param copies how often the text stands in the result that has `maxBytes` at most
 */
export function createBudget(maxBytes: number, copies: number): Budget {
  let bytes = 0;
  return {
    take(text, times = 1) {
      bytes += Buffer.byteLength(text) * times * copies;
      if (bytes > maxBytes) throw fileTooLarge(maxBytes, { subject: 'output' });
      return times;
    },
  };
}

/** Builds repeated text once: for metadata the text itself does not matter. */
export const ONCE: Budget = { take: (_, times = 1) => Math.min(times, 1) };
