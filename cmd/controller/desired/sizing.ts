import type { SvcInstanceSpec } from '../../../src/common/generated/wire.ts';
import { LONGEST_JOB_SECONDS, MAX_WORKERS } from '../../../src/common/plan.ts';
import { withTexts } from './pod.ts';
import { isShared } from './storage.ts';
import type { PodResources, Situation } from './types.ts';

const MIN_ENTERPRISE_WORKERS = 2;
const COMMUNITY_WORKERS = 1;
const CONNECTIONS_PER_WORKER = 50;

/** Millicores. A worker uses one core at most. */
const CPU_REQUEST_PER_WORKER = 500;
const CPU_LIMIT_PER_WORKER = 1000;
/** For the service, and a worker that starts in another's place. */
const CPU_LIMIT_BESIDE = 1000;

/** MiB. A worker has 250 to 550 after some hundred mixed jobs, as measured. */
const MEMORY_REQUEST_PER_WORKER = 512;
/** The service, and a spare that waits. */
const MEMORY_REQUEST_BESIDE = 512;
/** The service, and two spares: shortly before workers are recycled there is more than one. */
const MEMORY_LIMIT_BESIDE = 768;
const SHARED_MEMORY_PER_WORKER = 64;
/** A volume cannot be resized: enough for all workers that there may be. */
const SHARED_MEMORY = mebibytes(MAX_WORKERS * SHARED_MEMORY_PER_WORKER);

/** Seconds that a stop takes beyond the longest job. */
const GRACE_BESIDE = 30;

/** Larger pods are harder to place. */
const MAX_WORKERS_PER_POD = 4;

export interface Sizing {
  replicas: number;
  /** Bounds of `replicas`, where an autoscaler sets it. */
  scaling?: { min: number; max: number };
  /** As many as wanted, or as a pod has memory for. */
  workersPerPod: number;
  /** In all pods. */
  workers: number;
  /** Resources of a pod with all its workers. */
  resources: PodResources;
  /** Quantity: size of `/dev/shm`, which counts against the memory limit. */
  sharedMemory: string;
  gracePeriodSeconds: number;
  /** One sentence that says where the numbers come from. */
  formula: string;
}

/**
 * DocBuilder's size. A licence changes it without replacing the pod: that is resized in place (reconcile/docbuilder-size.ts),
 * then it starts as many workers as it has memory for.
 *
 * - workers: `spec.docbuilder.workers`, or by the plan: Community 1, Enterprise ceil(connections / 50) from 2 to 32
 * - pods: with a volume 1; otherwise `spec.docbuilder.replicas`, or ceil(workers / 4); ceil(workers / pods) in each
 * - CPU of a pod: 500m for each worker, up to 1 for each and 1 more
 * - memory of a pod: 512 MiB and 512 for each worker, up to 768 MiB and for each worker `workerMemoryMb` + 64 of shared memory
 * - grace period: the longest job and 30 s
 */
export function docbuilderSizing({
  instance,
  license,
  plan,
  docbuilder: running,
}: Pick<Situation, 'instance' | 'license' | 'plan' | 'docbuilder'>): Sizing {
  const spec = instance.spec.docbuilder;
  const { workers: wanted, reason } = workerCount(spec.workers, plan.edition, license.claims?.conns ?? 0);
  const { replicas, scaling, workers, pods } = podCount(instance.spec, wanted, running?.replicas);
  const each = spec.workerMemoryMb;
  const jobSeconds = Math.min(spec.jobTimeoutSeconds ?? LONGEST_JOB_SECONDS, LONGEST_JOB_SECONDS);

  const cpu = { request: workers * CPU_REQUEST_PER_WORKER, limit: workers * CPU_LIMIT_PER_WORKER + CPU_LIMIT_BESIDE };
  const memory = {
    request: MEMORY_REQUEST_BESIDE + workers * Math.min(MEMORY_REQUEST_PER_WORKER, each),
    limit: MEMORY_LIMIT_BESIDE + workers * (each + SHARED_MEMORY_PER_WORKER),
  };
  const computed = {
    requests: { cpu: millicores(cpu.request), memory: mebibytes(memory.request) },
    limits: { cpu: millicores(cpu.limit), memory: mebibytes(memory.limit) },
  };
  const given = spec.pod.resources && withTexts(spec.pod.resources);
  const gracePeriodSeconds = jobSeconds + GRACE_BESIDE;
  const how = given
    ? 'CPU and memory as in spec.docbuilder.pod.resources'
    : `CPU ${computed.requests.cpu} (500m each) to ${computed.limits.cpu} (1 each, plus 1), ` +
      `memory ${computed.requests.memory} (512Mi each, plus 512Mi) to ${computed.limits.memory} ` +
      `(${each}Mi + 64Mi each, plus 768Mi)`;
  const room = given || running?.memory === undefined ? workers : workersIn(running.memory, each);
  const workersPerPod = Math.min(workers, room);
  return {
    ...{ replicas, ...(scaling && { scaling }), workersPerPod, workers: replicas * workersPerPod },
    resources: given ?? computed,
    sharedMemory: SHARED_MEMORY,
    gracePeriodSeconds,
    formula:
      `${reason}${pods}: ${how}, shared memory up to ${SHARED_MEMORY} of that, ` +
      `grace period ${gracePeriodSeconds} s (jobs of up to ${jobSeconds} s, plus 30 s).`,
  };
}

/** @param current pods that the Deployment has */
function podCount(
  spec: SvcInstanceSpec,
  wanted: number,
  current: number | undefined,
): Pick<Sizing, 'replicas' | 'scaling'> & { workers: number; pods: string } {
  if (!isShared(spec)) return { replicas: 1, workers: wanted, pods: '' };
  const { autoscaling, replicas = Math.ceil(wanted / MAX_WORKERS_PER_POD) } = spec.docbuilder;
  const max = Math.min(replicas, wanted);
  const workers = Math.ceil(wanted / max);
  if (!autoscaling) return { replicas: max, workers, pods: `, ${max} ${max === 1 ? 'pod' : 'pods'} of ${workers}` };
  const min = Math.min(autoscaling.minReplicas, max);
  // The autoscaler has written the number into the Deployment.
  const now = Math.min(Math.max(current ?? min, min), max);
  return { replicas: now, scaling: { min, max }, workers, pods: `, ${min} to ${max} pods of ${workers} by their CPU` };
}

/** Returns how many workers a pod has memory for. */
function workersIn(memory: number, each: number): number {
  return Math.max(1, Math.floor((memory - MEMORY_LIMIT_BESIDE) / (each + SHARED_MEMORY_PER_WORKER)));
}

function workerCount(
  asked: 'auto' | number,
  edition: Situation['plan']['edition'],
  connections: number,
): { workers: number; reason: string } {
  if (asked !== 'auto') return { workers: asked, reason: `${counted(asked)} as in spec.docbuilder.workers` };
  if (edition === 'community') {
    return { workers: COMMUNITY_WORKERS, reason: `${counted(COMMUNITY_WORKERS)} in Community` };
  }
  const needed = Math.ceil(connections / CONNECTIONS_PER_WORKER);
  const workers = Math.min(Math.max(needed, MIN_ENTERPRISE_WORKERS), MAX_WORKERS);
  return { workers, reason: `${counted(workers)} for ${connections} connections (one per 50, from 2 to 32)` };
}

function counted(workers: number): string {
  return workers === 1 ? '1 worker' : `${workers} workers`;
}

/** As the API server writes it: whole cores without `m`. */
function millicores(value: number): string {
  return value % 1000 === 0 ? String(value / 1000) : `${value}m`;
}

/** As the API server writes it: whole GiB as such. */
function mebibytes(value: number): string {
  return value % 1024 === 0 ? `${value / 1024}Gi` : `${value}Mi`;
}
