import { parseArgs } from 'node:util';
import { readSmallFile } from '../../src/common/fs/read-small.ts';

export class UsageError extends Error {
  readonly mistakes: readonly string[];

  constructor(...mistakes: string[]) {
    super(mistakes.join('\n'));
    this.name = 'UsageError';
    this.mistakes = mistakes;
  }
}

/** Parses options of the form `--name value`. @throws {UsageError} */
export function readArguments<Required extends string, Optional extends string>(
  args: readonly string[],
  required: readonly Required[],
  optional: readonly Optional[],
): Record<Required, string> & Partial<Record<Optional, string>> {
  const values = parse(args, [...required, ...optional]);
  const missing = required.filter((name) => !values[name]);
  if (missing.length > 0) throw new UsageError(...missing.map((name) => `--${name} is required`));
  return values as ReturnType<typeof readArguments<Required, Optional>>;
}

function parse(args: readonly string[], names: readonly string[]): Record<string, string | undefined> {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Reads a file. @throws {UsageError} */
export async function readInput(path: string): Promise<string> {
  const file = await readSmallFile(path);
  if (!file.ok) throw new UsageError(`${path} ${file.problem}`);
  if (!file.text) throw new UsageError(`${path} ${file.text === null ? 'does not exist' : 'is empty'}`);
  return file.text;
}
