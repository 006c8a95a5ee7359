import { resolve } from 'node:path';
import { clusterEnding } from '../../support/at-end.ts';
import type { Kubectl } from '../../support/kubectl.ts';
import { missingPrograms } from '../../support/kubernetes.ts';
import { engineMissing, hasEngine } from './engine.ts';
import { endKind, startKind } from './kind.ts';

/** What is kept from run to run: of which sources the images are, and kubeconfigs. */
export const CACHE: string = resolve(import.meta.dirname, '../../../.cache/cluster');

/** A real cluster, whose network enforces NetworkPolicies. */
export interface Cluster {
  /** Path of a kubeconfig of a cluster admin. */
  kubeconfig: string;
  kubectl: Kubectl;
  /** Under which this machine finds the node that pods are on: NodePorts are there. */
  nodeAddress: string;
  /** The container of that node. */
  node: string;
  /** The container of the second node, which takes pods only while a test needs two. */
  secondNode: string;
  /** Under which pods find this machine, for test servers that listen at this address. */
  hostAddress: string;
  /** Address of the cluster's name server. */
  dnsAddress: string;
  /** Makes images of `buildImages` known to the node. */
  load(...images: string[]): Promise<void>;
  stop(): Promise<void>;
}

/** What scripts/kind-node.sh makes the image of a node of. */
const KIND_NODE_PROGRAMS = [
  ...['kind', 'kubectl', 'kubeadm', 'kubelet', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
  ...['kube-proxy', 'etcd', 'coredns', 'pause', 'local-path-provisioner', 'calico', 'calico-felix'],
];

let shared: Promise<Cluster> | undefined;

/** Why there can be no cluster here, or undefined. */
export function clusterMissing(): string | undefined {
  if (process.env['SVC_TEST_CLUSTER'] === '0') return 'left out by SVC_TEST_CLUSTER=0';
  if (hasEngine()) return missing(['kind', 'kubectl'], 'api kind');
  return engineMissing() ?? missing(KIND_NODE_PROGRAMS, 'kind-node');
}

/** The one cluster of a run of tests: started when the first asks for it, stopped after the last test on it. */
export function sharedCluster(): Promise<Cluster> {
  if (shared === undefined) {
    shared = startCluster();
    clusterEnding.at(async () => (await shared?.catch(() => undefined))?.stop());
  }
  return shared;
}

/** A cluster of kind. One that is up is used, and stays. */
export async function startCluster({ detached = false } = {}): Promise<Cluster> {
  const reason = clusterMissing();
  if (reason !== undefined) throw new Error(reason);
  return startKind(CACHE, detached);
}

/** Ends the cluster that a start with `detached` has left running. @returns whether there was one */
export function endCluster(): Promise<boolean> {
  return endKind();
}

function missing(programs: readonly string[], argument: string): string | undefined {
  const names = missingPrograms(programs);
  return names.length === 0 ? undefined : `not built: ${names.join(', ')} (scripts/kubernetes.sh build ${argument})`;
}
