import { iso } from '../../src/common/clock.ts';
import type { LicenseState } from '../../src/common/crypto/license.ts';
import { docbuilderPlan } from '../../src/common/plan.ts';

/** Describes a licence and what it grants, a line each. */
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
