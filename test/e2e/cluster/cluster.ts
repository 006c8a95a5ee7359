import { resolve } from 'node:path';
import { clusterEnding } from '../../support/at-end.ts';
import type { Kubectl } from '../../support/kubectl.ts';
import { missingPrograms } from '../../support/kubernetes.ts';
import { hasEngine } from './engine.ts';
import { endKind, startKind } from './kind.ts';
import { attachLocal, endLocal, LOCAL_PROGRAMS, startLocal } from './local/cluster.ts';

/** What is kept from run to run: images, and what containerd has of them. */
export const CACHE: string = resolve(import.meta.dirname, '../../../.cache/cluster');

/** A real cluster of one node. */
export interface Cluster {
  /** `kind` enforces NetworkPolicies, the local one does not. */
  kind: 'kind' | 'local';
  /** Path of a kubeconfig of a cluster admin. */
  kubeconfig: string;
  kubectl: Kubectl;
  /** Under which this machine finds the node: NodePorts are there. */
  nodeAddress: string;
  /** Under which pods find this machine, for test servers that listen at this address. */
  hostAddress: string;
  /** Address of the cluster's name server. */
  dnsAddress: string;
  /** Makes an image of `buildImages` known to the node. */
  load(image: string): Promise<void>;
  stop(): Promise<void>;
}

let shared: Promise<Cluster> | undefined;

/** Why there can be no cluster here, or undefined. */
export function clusterMissing(): string | undefined {
  if (process.env['SVC_TEST_CLUSTER'] === '0') return 'left out by SVC_TEST_CLUSTER=0';
  if (hasEngine()) return missing(['kind', 'kubectl'], 'api kind');
  if (process.getuid?.() !== 0) return 'needs a Docker engine, or root';
  return missing(LOCAL_PROGRAMS, 'all');
}

/** The one cluster of a run of tests: started when the first asks for it, stopped after the last test on it. */
export function sharedCluster(): Promise<Cluster> {
  if (shared === undefined) {
    shared = startCluster();
    clusterEnding.at(async () => (await shared?.catch(() => undefined))?.stop());
  }
  return shared;
}

/** A cluster: by kind where a Docker engine answers, else of namespaces of this machine. One that is up is used, and stays. */
export async function startCluster({ detached = false } = {}): Promise<Cluster> {
  const reason = clusterMissing();
  if (reason !== undefined) throw new Error(reason);
  if (hasEngine()) return startKind(CACHE, detached);
  return (await attachLocal(CACHE)) ?? startLocal(CACHE, detached);
}

/** Ends the cluster that a start with `detached` has left running. @returns whether there was one */
export async function endCluster(): Promise<boolean> {
  return hasEngine() ? endKind() : endLocal(CACHE);
}

function missing(programs: readonly string[], argument: string): string | undefined {
  const names = missingPrograms(programs);
  return names.length === 0 ? undefined : `not built: ${names.join(', ')} (scripts/kubernetes.sh build ${argument})`;
}
