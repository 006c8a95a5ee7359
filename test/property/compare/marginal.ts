import type { Marginal, MarginalPart, Script } from '../../../src/common/generated/script.ts';
import type { RunFacts } from '../support/facts.ts';
import type { Report } from '../support/report.ts';
import { clean, comparePiece, runsWithin, textOf } from './pieces.ts';

export const SIDES = ['left', 'center', 'right'] as const;

interface MarginalPiece {
  pointer: string;
  part: MarginalPart;
}

/** The parts of a header or footer as objects, each with its place. */
export function marginalPieces(marginal: Marginal, pointer: string): MarginalPiece[] {
  return SIDES.flatMap((side) => {
    const content = marginal[side];
    if (content === undefined) return [];
    const at = `${pointer}/${side}`;
    const parts = Array.isArray(content) ? content : [content];
    return parts.map((part, index) => ({
      pointer: Array.isArray(content) ? `${at}/${index}` : at,
      part: typeof part === 'string' ? { text: part } : part,
    }));
  });
}

/** What a field shows that does not depend on pages. */
export function fieldText(field: MarginalPart['field'], { meta }: Script, now: Date): string | undefined {
  if (field === 'title') return meta?.title ?? '';
  if (field !== 'date') return undefined;
  const format = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(meta?.lang ?? 'vi-VN', format).format(now);
}

/** A header or footer of which the runs are known, paragraph by paragraph. */
export function compareMarginal(
  pieces: readonly MarginalPiece[],
  paragraphs: readonly (readonly RunFacts[])[],
  { script, now, report }: { script: Script; now: Date; report: Report },
): void {
  const all = paragraphs.map(textOf).join('\n');
  for (const { pointer, part } of pieces) {
    const { text, field, ...look } = part;
    if (field === 'page' || field === 'pages') {
      const runs = paragraphs.flat().filter((run) => run.field === field);
      report.holds(`${pointer}/field`, runs.length > 0, `no field for ${field}`);
      // Where a field stands more than once, each look must be there, in whatever order.
      for (const [name, value] of Object.entries(look)) {
        const found = runs.some((run) => alike(run[name as keyof RunFacts], value));
        report.holds(`${pointer}/${name}`, found, `no field for ${field} has ${name} ${value}`);
      }
      continue;
    }
    const wanted = clean(field === undefined ? (text ?? '') : (fieldText(field, script, now) ?? ''));
    report.holds(pointer, all.includes(wanted), `${JSON.stringify(wanted)} is not in ${JSON.stringify(all)}`);
    if (field !== undefined || wanted === '') continue;
    for (const runs of paragraphs) {
      const start = textOf(runs).indexOf(wanted);
      if (start >= 0)
        comparePiece({ pointer, text: wanted, look }, runsWithin(runs, start, start + wanted.length), report);
    }
  }
}

function alike(found: unknown, wanted: unknown): boolean {
  if (typeof wanted === 'number') return Math.abs(Number(found) - wanted) < 0.26;
  return String(found).toUpperCase() === String(wanted).toUpperCase();
}
