import type { V1Container, V1Probe } from '@kubernetes/client-node';

export interface ProbeTimes {
  /** Seconds from the start until it must answer. */
  start?: number;
  /** Seconds without an answer until it is started again. */
  dead?: number;
  /** Seconds without an answer until traffic goes away from it. */
  unready?: number;
}

const START_PERIOD = 2;
const READY_PERIOD = 5;
const LIVE_PERIOD = 10;
const TIMEOUT = 5;

/**
 * Seconds for the rest of the cluster to hear that a pod is going, before it listens no more. The front keeps names for 5 s,
 * and asks again after 5 s where the name server that it asked is leaving with the same node.
 */
export const LEAVE_SECONDS = 20;
/** For a pod in whose place others are asked meanwhile. */
export const LEAVING: Pick<V1Container, 'lifecycle'> = {
  lifecycle: { preStop: { sleep: { seconds: LEAVE_SECONDS } } },
};

/**
 * All three probes of a container that answers GET with 200 to 399. Traffic goes away from it after two failures unless
 * told; only one that has been silent for long is started again, since that costs what is open in it.
 * @param port the name of a container's port
 */
export function httpProbes(
  path: string,
  port: string,
  { start = 120, dead = 60, unready = 2 * READY_PERIOD }: ProbeTimes = {},
): Pick<V1Container, 'startupProbe' | 'livenessProbe' | 'readinessProbe'> {
  const probe = (periodSeconds: number, failureThreshold: number): V1Probe => ({
    httpGet: { path, port, scheme: 'HTTP' },
    periodSeconds,
    timeoutSeconds: TIMEOUT,
    failureThreshold,
  });
  return {
    startupProbe: probe(START_PERIOD, Math.ceil(start / START_PERIOD)),
    livenessProbe: probe(LIVE_PERIOD, Math.ceil(dead / LIVE_PERIOD)),
    readinessProbe: probe(READY_PERIOD, Math.ceil(unready / READY_PERIOD)),
  };
}
