import { parseKeySet } from '../../src/common/crypto/key-set.ts';
import { readLicense } from '../../src/common/crypto/license.ts';
import { readArguments, readInput, UsageError } from './arguments.ts';
import { describeLicense } from './describe.ts';

/** `show --token FILE --keys FILE`: 0 when the licence counts (valid or in grace), 1 when not. */
export async function show(args: readonly string[]): Promise<number> {
  const options = readArguments(args, ['token', 'keys'], []);
  const keys = parseKeySet(await readInput(options.keys));
  if (!keys.ok) throw new UsageError(`${options.keys} is not a usable key set: ${keys.problem}`);
  const license = await readLicense(await readInput(options.token), keys.value, Date.now());
  console.log(describeLicense(license));
  return license.state === 'valid' || license.state === 'grace' ? 0 : 1;
}
