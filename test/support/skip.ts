import type { Context } from 'mocha';

/** Skips a suite or a test, and says why. */
export function skip(context: Context, reason: string): never {
  process.stderr.write(`      skipped: ${reason}\n`);
  return context.skip();
}
