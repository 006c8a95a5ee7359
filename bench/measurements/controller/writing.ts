import { milliseconds } from '../../format.ts';
import type { Row } from '../../measurement.ts';
import { quantile } from '../../statistics.ts';
import type { Instances } from '../../subjects/instances.ts';

const DEMANDED_MS = 1_000;

/** Measures the time of an instance from `apply` until all of its objects are written, one after the other. */
export async function measureApplies(instances: Instances, names: readonly string[]): Promise<Row> {
  const times: number[] = [];
  for (const name of names) {
    const started = performance.now();
    await instances.create(name);
    times.push((await instances.settled(name)) - started);
  }
  const p95 = quantile(times, 0.95);
  return {
    what: `apply to all objects written, p95 of ${times.length}`,
    measured: `${milliseconds(p95)} (median ${milliseconds(quantile(times, 0.5))})`,
    demanded: `at most ${DEMANDED_MS} ms`,
    holds: p95 <= DEMANDED_MS,
  };
}
