import { enterprise, type Options } from './situation.ts';

const resources = { requests: { cpu: '250m', memory: '1Gi' }, limits: { cpu: 3, memory: '6Gi' } };
const pod = {
  resources,
  nodeSelector: { pool: 'office' },
  tolerations: [{ key: 'office', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 10,
          podAffinityTerm: {
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchLabels: { 'app.kubernetes.io/component': 'docbuilder' } },
          },
        },
      ],
    },
  },
  priorityClassName: 'office',
  annotations: { 'example.com/team': 'office', 'svc.internal/config-hash': 'theirs' },
  labels: { team: 'office', 'app.kubernetes.io/component': 'theirs' },
};

/** Has a pod stay for a minute on a node that says nothing. */
const LATER = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 };

/** Members of `spec.storage` that make gate and DocBuilder stateless. */
export const SHARED = {
  postgres: { secretName: 'office-db-app', sslMode: 'VerifyFull' },
  s3: {
    bucket: 'documents',
    endpoint: 'http://s3.storage:3900',
    region: 'garage',
    prefix: 'office/',
    secretName: 'office-bucket',
  },
};

/** The instances whose objects are written down in `golden/`, by file name. */
export const INSTANCES: Readonly<Record<string, Options>> = {
  'community-minimal': {},
  enterprise: {
    license: enterprise(120),
    licenseFiles: { token: 'header.claims.signature' },
    spec: {
      license: { secretName: 'svc-license' },
      tls: { secretName: 'office-tls' },
      embed: { allowedOrigins: ['https://portal.example'] },
    },
  },
  shared: {
    license: enterprise(120),
    licenseFiles: { token: 'header.claims.signature' },
    given: {
      store: {
        'database-url': 'postgresql://svc:of%20the%20database@office-db-rw:5432/svc',
        's3-access-key-id': 'AKIDEXAMPLE',
        's3-secret-access-key': 'of the bucket',
      },
    },
    spec: {
      license: { secretName: 'svc-license' },
      storage: { ...SHARED, editor: { ephemeral: true } },
      gate: { replicas: 3, pod: { tolerations: [LATER] } },
      docbuilder: { replicas: 2, autoscaling: { minReplicas: 1, cpuPercent: 60 } },
    },
  },
  'everything-set': {
    license: enterprise(120, 'grace'),
    licenseFiles: { token: 'header.claims.signature', removedAt: '2026-11-21T12:00:00.000Z' },
    given: {
      values: {
        'docbuilder-api-keys': 'ci:0123456789abcdef01234567',
        'docbuilder-jwt-secret': 'a secret of DocBuilder, long enough',
        'docbuilder-callback-secret': 'for callbacks',
        'embed-jwt-secret': 'a secret of the portal, long enough',
        'embed-jwt-secret-previous': 'a secret of the portal, before that',
        'embed-callback-secret': 'for callbacks',
        'embed-link-secret': 'for links',
      },
      admin: { username: 'root', password: 'p$(HOME)w' },
    },
    spec: {
      host: 'office.example',
      port: 8443,
      tls: { mode: 'Edge' },
      license: { secretName: 'svc-license', key: 'jwt' },
      ingress: {
        gating: 'Front',
        kind: 'HTTPRoute',
        annotations: { 'example.com/edge': 'yes' },
        gateway: { name: 'public', namespace: 'gateways', sectionName: 'https' },
        controller: { namespace: 'envoy', podLabels: { app: 'envoy' } },
      },
      embed: {
        enabled: true,
        allowedOrigins: ['https://portal.example', 'https://intranet.example:8443'],
        allowUnsigned: true,
        foreignHosts: false,
        maxFileMb: 50,
        sessionTtlMinutes: 60,
        retainHours: 48,
      },
      gate: { connectionCap: 80, pod },
      docbuilder: {
        workers: 4,
        workerMaxJobs: 100,
        workerMaxAgeMinutes: 30,
        workerMemoryMb: 1024,
        maxFileMb: 20,
        jobTimeoutSeconds: 90,
        sandbox: 'Landlock',
        pod,
      },
      editor: {
        image:
          'registry.example/collabora/code@sha256:0000000000000000000000000000000000000000000000000000000000000000',
        adminSecretName: 'editor-admin',
        wopiHosts: ['https://files.example:8443'],
        extraParams: ['--o:logging.level=debug'],
        dictionaries: ['vi_VN', 'en_US'],
        pod,
      },
      front: {
        replicas: 3,
        service: { type: 'NodePort', annotations: { 'example.com/service': 'yes' }, nodePort: 30_080 },
        trustedEdges: ['192.0.2.7', '2001:db8::/32'],
        requestsPerAddress: 500,
        requests: 3000,
        pod,
      },
      storage: {
        onDelete: 'Delete',
        className: 'fast',
        gate: { size: '50Gi' },
        docbuilder: { size: '60Gi' },
        editor: { size: '5Gi' },
      },
      secrets: { secretName: 'office-given' },
      outbound: {
        allowHosts: ['portal.internal:8443', '10.20.0.0/16'],
        denyCidrs: ['203.0.113.0/24', '2001:db8::/32'],
        proxy: 'http://proxy.example:3128',
        caBundle: { configMapName: 'authorities', key: 'bundle.pem' },
      },
      images: {
        gate: 'mirror.example/gate:2',
        docbuilder: 'mirror.example/docbuilder:2',
        front: 'mirror.example/front:2',
        pullPolicy: 'Always',
        pullSecrets: [{ name: 'mirror' }],
      },
      logLevel: 'Debug',
      auditTarget: 'https://audit.example/events',
      devMode: true,
    },
  },
};
