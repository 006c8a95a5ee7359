import { iso } from '../../src/common/clock.ts';
import { parseKeySet } from '../../src/common/crypto/key-set.ts';
import { type LicenseState, readLicense } from '../../src/common/crypto/license.ts';
import { docbuilderPlan } from '../../src/common/plan.ts';
import { readArguments, readInput, UsageError } from './arguments.ts';

/** `show`: 0 for a licence in force, 1 for others. */
export async function show(args: readonly string[]): Promise<number> {
  const options = readArguments(args, ['token', 'keys'], []);
  const keys = parseKeySet(await readInput(options.keys));
  if (!keys.ok) throw new UsageError(`${options.keys} is not a usable key set: ${keys.problem}`);
  const license = await readLicense(await readInput(options.token), keys.value, Date.now());
  console.log(describeLicense(license));
  return license.state === 'valid' || license.state === 'grace' ? 0 : 1;
}

/** Describes a licence, a line each. */
export function describeLicense(license: LicenseState): string {
  const { state, graceDaysLeft, claims, problem } = license;
  const { edition, limits } = docbuilderPlan(license);
  const lines: [label: string, value: string][] = [
    ['state', graceDaysLeft === null ? state : `${state}, ${graceDaysLeft} days left`],
  ];
  if (problem !== null) lines.push(['problem', problem]);
  if (claims) {
    lines.push(
      ['sub', claims.sub],
      ['conns', String(claims.conns)],
      ['features', claims.features.join(', ') || '(none)'],
      ['issued', iso(claims.issuedAt)],
      ['expires', iso(claims.expiresAt)],
    );
  }
  const callbacks = limits.callback ? 'with callbacks' : 'without callbacks';
  lines.push(['DocBuilder', `${edition}, ${limits.rate_per_minute} requests a minute, ${callbacks}`]);
  return lines.map(([label, value]) => `${label.padEnd(12)} ${value}`).join('\n');
}
