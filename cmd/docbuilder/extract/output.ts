import { fileTooLarge } from '../../../src/common/errors.ts';

/** Counts what is read, so that a document that says little in few bytes cannot fill the memory. */
export interface Output {
  /**
   * Counts `text` in, `times` over, before that is made; negative takes it back.
   * @returns how often to make it: fewer than `times` once there are more characters than were asked for
   * @throws {AppError} `file_too_large` {limit_mb, subject: 'output'}
   */
  take(text: string, times?: number): number;
  /** Whether as many characters as were asked for have been read. */
  enough(): boolean;
}

/**
 * @param maxBytes of all text, in UTF-8
 * @param copies how often the text stands in what may have so many bytes
 * @param maxChars reading may stop once there are more
 */
export function createOutput(maxBytes: number, copies = 1, maxChars = Number.POSITIVE_INFINITY): Output {
  let bytes = 0;
  let chars = 0;
  return {
    take(text, times = 1) {
      if (text === '' || times === 0) return times;
      const fitting = Math.max(1, Math.ceil((maxChars - chars + 1) / text.length));
      const made = Math.min(times, fitting);
      chars += text.length * made;
      bytes += Buffer.byteLength(text) * made * copies;
      if (bytes > maxBytes) throw fileTooLarge(maxBytes, { subject: 'output' });
      return made;
    },
    enough: () => chars > maxChars,
  };
}

/** For those who only look: nothing is too much, and what is repeated is made once. */
export function countOnly(): Output {
  return { take: (_, times = 1) => Math.min(times, 1), enough: () => false };
}
