import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from './mix.ts';
import { seededRandom } from './statistics.ts';
import type { Service } from './subjects/service.ts';

export interface Sample {
  kind: Job['kind'];
  ms: number;
  status: number;
}

export interface Run {
  samples: Sample[];
  seconds: number;
}

/**
 * A closed loop: `clients` clients, each of which sends its next job when it has got the answer to the last.
 * @param done called after each job
 */
export async function closedLoop(
  service: Service,
  jobs: readonly Job[],
  clients: number,
  done: () => void = () => undefined,
): Promise<Run> {
  const left = jobs.values();
  const samples: Sample[] = [];
  const started = performance.now();
  const client = async (): Promise<void> => {
    // All clients take from the same iterator.
    for (const job of left) {
      samples.push(await perform(service, job));
      done();
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { samples, seconds: (performance.now() - started) / 1000 };
}

/**
 * An open loop: jobs arrive at random (a Poisson process of `perSecond`), whether or not earlier ones are done, as
 * they do where many people use a service. The same seed gives the same arrivals.
 */
export async function openLoop(service: Service, jobs: readonly Job[], perSecond: number, seed: number): Promise<Run> {
  const random = seededRandom(seed);
  const running: Promise<Sample>[] = [];
  const started = performance.now();
  let due = started;
  for (const job of jobs) {
    due += (-Math.log(1 - random()) / perSecond) * 1000;
    await sleep(Math.max(0, due - performance.now()));
    running.push(perform(service, job));
  }
  return { samples: await Promise.all(running), seconds: (performance.now() - started) / 1000 };
}

/** Several runs as one. */
export function joined(runs: readonly Run[]): Run {
  return {
    samples: runs.flatMap(({ samples }) => samples),
    seconds: runs.reduce((total, { seconds }) => total + seconds, 0),
  };
}

/** Jobs that did not end with 200. */
export function failures({ samples }: Pick<Run, 'samples'>): number {
  return samples.filter(({ status }) => status !== 200).length;
}

export const latencies = (samples: readonly Sample[], kind?: Job['kind']): number[] =>
  samples.filter((sample) => kind === undefined || sample.kind === kind).map(({ ms }) => ms);

async function perform(service: Service, job: Job): Promise<Sample> {
  const { status, ms } = await service.send(job).catch(() => ({ status: 0, ms: 0 }));
  return { kind: job.kind, ms, status };
}
