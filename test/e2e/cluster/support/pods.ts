/** Two pods of the gate's image, restricted as far as Kubernetes knows how: a gate, and one that only waits for commands. */
export function gateAndClient(image: string): object {
  return { apiVersion: 'v1', kind: 'List', items: [gate(image), service(), claim(), waitingPod(image, 'client')] };
}

function gate(image: string): object {
  const environment = { SVC_EMBED_ALLOW_UNSIGNED: '1', SVC_DEV_MODE: '1', SVC_AUDIT_TARGET: 'off' };
  return pod('gate', {
    image,
    imagePullPolicy: 'Never',
    env: Object.entries(environment).map(([name, value]) => ({ name, value })),
    readinessProbe: { httpGet: { path: '/svc/healthz', port: 8080 }, periodSeconds: 1 },
    volumeMounts: [
      { name: 'data', mountPath: '/var/lib/svc/gate' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  });
}

/** A pod that only waits for commands. */
export function waitingPod(image: string, name: string, labels?: Record<string, string>): object {
  const command = ['node', '-e', 'process.once("SIGTERM", () => process.exit()); setInterval(() => {}, 1e9)'];
  const volumeMounts = [{ name: 'tmp', mountPath: '/tmp' }];
  return pod(name, { image, imagePullPolicy: 'Never', command, volumeMounts }, labels);
}

function pod(name: string, container: object, labels: Record<string, string> = { app: name }): object {
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 5,
      securityContext: { runAsNonRoot: true, fsGroup: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ name, securityContext, ...container }],
      volumes: [
        { name: 'tmp', emptyDir: { medium: 'Memory' } },
        ...(name === 'gate' ? [{ name: 'data', persistentVolumeClaim: { claimName: 'gate' } }] : []),
      ],
    },
  };
}

function service(): object {
  const ports = [{ port: 8080 }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'gate' },
    spec: { type: 'NodePort', selector: { app: 'gate' }, ports },
  };
}

function claim(): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'gate' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}
