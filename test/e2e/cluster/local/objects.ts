import { join } from 'node:path';

const VOLUMES = 60;

/** What a cluster has besides its own parts: names for pods, and volumes for claims. */
export function groundObjects(folder: string, nodeAddress: string): object {
  return { apiVersion: 'v1', kind: 'List', items: [...names(nodeAddress), storageClass(), ...volumes(folder)] };
}

/** Names of the volumes' folders, which must exist. */
export const VOLUME_NAMES: readonly string[] = Array.from({ length: VOLUMES }, (_, index) => `volume-${index + 1}`);

/** The name server runs on the node itself: its Service leads there. */
function names(nodeAddress: string): object[] {
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
      spec: { clusterIP: '10.96.0.10', ports },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: 'kube-dns-node',
        namespace: 'kube-system',
        labels: { 'kubernetes.io/service-name': 'kube-dns' },
      },
      addressType: 'IPv4',
      ports,
      endpoints: [{ addresses: [nodeAddress], conditions: { ready: true } }],
    },
  ];
}

// Nothing here makes volumes on demand: enough of them are there from the start. kind calls its class so, too.
function storageClass(): object {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
    reclaimPolicy: 'Retain',
  };
}

function volumes(folder: string): object[] {
  const onThisNode = { key: 'kubernetes.io/hostname', operator: 'In', values: ['node'] };
  return VOLUME_NAMES.map((name) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '100Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'standard',
      // Of this kind of volume the kubelet changes the group, as of volumes in a real cluster.
      local: { path: join(folder, 'volumes', name) },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onThisNode] }] } },
    },
  }));
}
