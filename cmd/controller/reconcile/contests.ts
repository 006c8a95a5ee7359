import type { Clock } from '../../../src/common/clock.ts';
import { MANAGED_BY } from '../desired/labels.ts';
import type { KubernetesObject } from '../k8s/types.ts';

/** So often the same fields of an object are put right within so many milliseconds; more is a quarrel. */
const TIMES = 8;
const WITHIN_MS = 600_000;

/** Recent repairs, so that the controller does not fight endlessly with another writer. */
export interface Contests {
  /** @returns in a sentence why it is left so for now; undefined: it may be put right */
  lost(repair: Repair): string | undefined;
  /** Counts one that was made. */
  made(repair: Repair): void;
}

export interface Repair {
  /** As others have made it. */
  live: KubernetesObject;
  /** Where `live` is not as it should be. */
  paths: readonly string[];
}

/** Knows of the repairs of this process: a controller that has just started counts anew. */
export function createContests(clock: Clock): Contests {
  /** When repairs were made, by uid and fields; those that were made again last are last. */
  const repairs = new Map<string, number[]>();
  const keyOf = ({ live, paths }: Repair): string => [live.metadata.uid, ...paths].join(' ');

  function timesOf(key: string): number[] {
    const now = clock();
    // Times to come are those of a clock that was wrong.
    return (repairs.get(key) ?? []).filter((time) => time > now - WITHIN_MS && time <= now);
  }

  return {
    lost: (repair) => (timesOf(keyOf(repair)).length < TIMES ? undefined : told(repair)),
    made(repair) {
      const key = keyOf(repair);
      const times = [...timesOf(key), clock()];
      repairs.delete(key);
      repairs.set(key, times);
      for (const old of repairs.keys()) {
        if (timesOf(old).length > 0) break;
        repairs.delete(old);
      }
    },
  };
}

function told({ live: { kind, metadata }, paths }: Repair): string {
  const others = (metadata.managedFields ?? []).flatMap(({ manager, subresource }) =>
    manager === undefined || manager === MANAGED_BY || subresource === 'status' ? [] : [manager],
  );
  const who = others.length > 0 ? `, possibly ${[...new Set(others)].sort().join(' or ')}` : '';
  return (
    `${kind} ${metadata.name} keeps being changed by somebody else (${paths.join(', ')})${who}: ` +
    'stop that. The controller leaves it as it is for some minutes at a time.'
  );
}
