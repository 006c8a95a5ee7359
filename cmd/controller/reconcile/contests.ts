import type { Clock } from '../../../src/common/clock.ts';
import { MANAGED_BY } from '../desired/labels.ts';
import type { KubernetesObject } from '../k8s/types.ts';

/** So often the same fields of an object are put right within so many milliseconds; more is a quarrel. */
const TIMES = 8;
const WITHIN_MS = 600_000;

/** What was put right lately, so that nobody who insists on something else is fought without end. */
export interface Contests {
  /** @returns in a sentence why it is left so for now; undefined: it may be put right */
  lost(repair: Repair): string | undefined;
  /** Counts one that was made. */
  made(repair: Repair): void;
}

export interface Repair {
  /** As it was before. */
  live: KubernetesObject;
  /** Of the object as it should be: with another one than the last time it is we who change it. */
  hash: string;
  /** Where `live` is not as it should be. */
  paths: readonly string[];
}

/** When some fields of an object were put right, and what for. */
interface Repairs {
  hash: string;
  times: number[];
}

export function createContests(clock: Clock): Contests {
  /** By uid and fields. */
  const repairs = new Map<string, Repairs>();
  let swept = clock();

  function sweep(since: number): void {
    if (swept > since) return;
    swept = clock();
    for (const [key, { times }] of repairs) if ((times.at(-1) ?? 0) <= since) repairs.delete(key);
  }

  const keyOf = ({ live, paths }: Repair): string => [live.metadata.uid, ...paths].join(' ');

  function timesOf(repair: Repair): number[] {
    const before = repairs.get(keyOf(repair));
    const since = clock() - WITHIN_MS;
    return before?.hash === repair.hash ? before.times.filter((time) => time > since) : [];
  }

  return {
    lost: (repair) => (timesOf(repair).length < TIMES ? undefined : told(repair)),
    made(repair) {
      sweep(clock() - WITHIN_MS);
      repairs.set(keyOf(repair), { hash: repair.hash, times: [...timesOf(repair), clock()] });
    },
  };
}

function told({ live: { kind, metadata }, paths }: Repair): string {
  const others = (metadata.managedFields ?? []).flatMap(({ manager, subresource }) =>
    manager === undefined || manager === MANAGED_BY || subresource === 'status' ? [] : [manager],
  );
  const who = others.length > 0 ? `, it may be ${[...new Set(others)].sort().join(' or ')}` : '';
  return (
    `${kind} ${metadata.name} is changed again and again by somebody else (${paths.join(', ')})${who}: ` +
    'end that. It is left so for some minutes at a time.'
  );
}
