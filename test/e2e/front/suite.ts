import { CONTROLLED } from './controlled.ts';
import { LIVE, OPEN } from './open.ts';
import { type Control, UPSTREAMS } from './support/control.ts';

/** A session may open if the gate says so: the front asks by itself, or the edge before it does. */
export type Mode = 'front' | 'auth-url';

export interface Target {
  baseUrl: URL;
  mode: Mode;
}

/** Notes what a front did instead of what it must do. */
export type Miss = (what: string) => void;

/** One thing that a front must do. */
export interface Row<Subject> {
  path: string;
  promise: string;
  check(subject: Subject, miss: Miss): Promise<void>;
}

export type OpenRow = Row<Target>;
/** One whose servers behind it the suite steers. */
export type Subject = Target & { control: Control };
export type ControlledRow = Row<Subject>;

export interface Result {
  path: string;
  promise: string;
  misses: string[];
}

/**
 * Checks a front against the contract's table "Front proxy routing". With a base URL alone: what can be seen from
 * outside. With a control of the servers behind it: also what reaches them, and what a failing gate brings about.
 * `wanted` picks rows.
 */
export async function checkFront(
  target: Target,
  control?: Control,
  wanted: (row: Pick<Result, 'path' | 'promise'>) => boolean = () => true,
): Promise<Result[]> {
  const results: Result[] = [];
  if (control) await calm(control);
  for (const row of [...OPEN, ...(control ? [] : LIVE)].filter(wanted)) results.push(await run(row, target));
  if (!control) return results;
  for (const row of CONTROLLED.filter(wanted)) {
    await calm(control);
    results.push(await run(row, { ...target, control }));
  }
  await calm(control);
  return results;
}

/** Every server answers 200 again and has seen nothing. */
async function calm(control: Control): Promise<void> {
  for (const upstream of UPSTREAMS) {
    await control.behave(upstream, { status: 200 });
    await control.seen(upstream);
  }
}

async function run<Subject>({ path, promise, check }: Row<Subject>, subject: Subject): Promise<Result> {
  const misses: string[] = [];
  await check(subject, (what) => misses.push(what)).catch((error) => misses.push((error as Error).message));
  return { path, promise, misses };
}
