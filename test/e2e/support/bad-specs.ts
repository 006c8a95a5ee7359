/** What an instance of a test is made of. */
export type Spec = Record<string, unknown>;

/** A spec that the API server must refuse. */
export interface BadSpec {
  title: string;
  /** As the API server names it: `spec.embed.allowedOrigins[0]`. */
  field: string;
  spec: Spec;
}

export const GOOD: Spec = { host: 'office.example.com' };

/** Documents in a database and a bucket. */
export const SHARED: Spec = {
  ...GOOD,
  storage: { postgres: { secretName: 'db' }, s3: { bucket: 'documents', secretName: 'bucket' } },
};

const ABSENT = Symbol('absent');
const LONG = 'a'.repeat(254);
const NOT_A_NAME = ['', 'Upper', 'under_score', '-dash', 'dash-', 'a b', 'a..b', 'a-.b', 'a.-b', '.a', LONG];
const NOT_A_QUANTITY = ['', 'much', '10 Gi', '10GiB', '-1Gi', '1,5Gi', '2Ei', '1e30'];
const NOT_AN_IMAGE = [
  '',
  'https://registry.example.com/gate:1',
  'gate latest',
  'gate@sha256:beef',
  '-gate:1',
  'a..b',
  'a___b',
  'a.-b/gate',
];

/** Values of one field each, which nothing around them could make right. */
const VALUES: Record<string, readonly unknown[]> = {
  'spec.host': [
    ABSENT,
    null,
    7,
    '',
    'https://office.example.com',
    'office.example.com:8443',
    'office.example.com/',
    'Office.example.com',
    'office_1.example.com',
    '*.example.com',
    'office..example.com',
    'office.example.com.',
    '-office.example.com',
    '192.0.2.7',
    '192.0.2',
    '[2001:db8::7]',
    '2001:db8::7',
    `${'a'.repeat(64)}.example.com`,
    LONG,
  ],
  'spec.port': [0, 65536, -1, 443.5, '8443'],
  'spec.tls.mode': ['edge', 'Passthrough', true],
  'spec.tls.secretName': NOT_A_NAME,
  'spec.license.secretName': [ABSENT, ...NOT_A_NAME],
  'spec.ingress.gating': ['authUrl', 'Gate', false],
  'spec.ingress.kind': ['ingress', 'Route'],
  'spec.ingress.className': ['', 'Nginx', 'nginx/public', 'nginx..public'],
  'spec.ingress.annotations': [
    'a=b',
    many(33, 'value'),
    { 'a b': 'c' },
    { 'a..b/c': 'd' },
    { 'a-.b/c': 'd' },
    { [`${'a.'.repeat(127)}a/b`]: 'c' },
    { 'kubernetes.io/ingress.class': 'other' },
  ],
  'spec.ingress.annotations.key': [7, 'a'.repeat(4097)],
  'spec.ingress.controller.namespace': ['', 'Ingress', 'ingress.nginx', 'a'.repeat(64)],
  'spec.ingress.controller.podLabels': [{}, many(33, 'value'), { '/a': 'b' }, { 'a..b/c': 'd' }, { 'a-.b/c': 'd' }],
  'spec.ingress.controller.podLabels.key': ['a b', 'a'.repeat(64), '-a'],
  'spec.embed.enabled': ['true', 1],
  'spec.embed.allowedOrigins': [
    'https://portal.example.com',
    ['*', 'https://portal.example.com'],
    ['https://portal.example.com', '*'],
    Array.from({ length: 65 }, (_, index) => `https://portal-${index}.example.com`),
  ],
  'spec.embed.allowedOrigins[1]': [['https://portal.example.com', 'https://portal.example.com']],
  'spec.embed.allowedOrigins[0]': [
    '',
    'portal.example.com',
    'https://portal.example.com/',
    'https://portal.example.com/path',
    'https://Portal.example.com',
    'https://*.example.com',
    'https://user@portal.example.com',
    'https://portal.example.com:443',
    'http://portal.example.com:80',
    'https://portal.example.com:0443',
    'https://portal.example.com:',
    'https://portal.example.com,https://other.example.com',
    'ftp://portal.example.com',
    'null',
    '**',
  ],
  'spec.embed.maxFileMb': [0, 2049, '100Mi'],
  'spec.embed.sessionTtlMinutes': [0, 43201],
  'spec.embed.retainHours': [0, 8761],
  'spec.gate.connectionCap': [-1, 1000001, 'none'],
  'spec.gate.replicas': [0, 33, 'two'],
  'spec.docbuilder.replicas': [0, 33],
  'spec.docbuilder.autoscaling.minReplicas': [0, 33],
  'spec.docbuilder.autoscaling.cpuPercent': [9, 201, '70%'],
  'spec.docbuilder.workers': [0, 33, -1, 'Auto', '4', '', 'all', 2.5],
  'spec.docbuilder.workerMaxJobs': [0, 100001],
  'spec.docbuilder.workerMaxAgeMinutes': [0, 10081],
  'spec.docbuilder.workerMemoryMb': [511, 65537, '2Gi'],
  'spec.docbuilder.maxFileMb': [0, 301],
  'spec.docbuilder.jobTimeoutSeconds': [0, 601, '10m'],
  'spec.docbuilder.sandbox': ['auto', 'None'],
  'spec.editor.image': NOT_AN_IMAGE,
  'spec.editor.adminSecretName': ['', 'Admin'],
  'spec.editor.extraParams': [
    '--o:logging.level=warning',
    Array.from({ length: 65 }, (_, index) => `--o:a.b${index}=c`),
  ],
  'spec.editor.extraParams[0]': [
    '',
    'logging.level=warning',
    '--logging.level=warning',
    '--o:logging.level',
    '--o:=warning',
    '--o:logging level=warning',
    '--o:hexify_embedded_urls=true',
    '--o:logging..level=warning',
    '--o:.ssl.enable=true',
    '--o:logging.level=warning\n--o:ssl.enable=true',
    '--o:logging.level=warning\u2028',
    '--o:logging.level=\u0085',
    '--o:server_name=other.example.com',
    '--o:ssl.enable=true',
    '--o:ssl[0].enable=true',
    '--o:ssl.termination=false',
    '--o:storage.wopi.host[0]=.*',
    '--o:storage.wopi[0].host=.*',
    '--o:storage[0].wopi.host=.*',
    '--o:storage.wopi.alias_groups[@mode]=first',
    '--o:admin_console.password=guess',
    '--o:admin_console.enable=false',
    '--o:net.content_security_policy=frame-ancestors',
    '--o:net.frame_ancestors=*',
    '--o:net[0].post_allow.host[0]=.*',
    '--o:net.service_root=/x',
    '--o:per_document.limit_store_failures=5',
    '--o:quarantine_files[@enable]=false',
    '--o:remote_config.remote_url=https://example.com',
    '--o:monitors.monitor[0]=wss://example.com',
    '--o:file_server_root_path=/etc',
  ],
  'spec.editor.dictionaries[0]': ['', 'Vietnamese', 'vi VN', 'v'],
  'spec.front.replicas': [0, 33, 'two'],
  'spec.front.service.type': ['clusterIP', 'ExternalName'],
  'spec.front.trustedEdges[0]': [
    '',
    '10.0.0.0/33',
    '10.0.0',
    'edge.internal',
    '10.0.0.0/8,192.0.2.1',
    'fd00::/129',
    'unix:',
  ],
  'spec.front.requestsPerAddress': [0, 7001, 'many'],
  'spec.front.requests': [0, 7001],
  'spec.storage.className': ['Fast', 'fast/ssd', 'fast..ssd'],
  'spec.storage.onDelete': ['delete', 'Keep', true],
  'spec.storage.gate.size': [...NOT_A_QUANTITY, '0', '500Mi', 20],
  'spec.storage.postgres.secretName': [ABSENT, 'Database'],
  'spec.storage.postgres.sslMode': ['verify-full', 'Require'],
  'spec.storage.s3.bucket': [ABSENT, 'ab', '-documents', 'documents/office', 'a'.repeat(64)],
  'spec.storage.s3.endpoint': ['s3.example', 'https://s3.example/bucket', 'https://key:secret@s3.example', 'ftp://s3'],
  'spec.storage.s3.region': ['', 'us east'],
  'spec.storage.s3.prefix': ['office', '/office/', '../', 'office//'],
  'spec.storage.s3.secretName': ['Bucket'],
  'spec.storage.s3.serviceAccountAnnotations': [
    many(33, 'value'),
    { 'a b': 'c' },
    { 'eks.amazonaws.com/role-arn': 'role' },
  ],
  'spec.storage.docbuilder.size': NOT_A_QUANTITY,
  'spec.storage.editor.size': NOT_A_QUANTITY,
  'spec.secrets.secretName': [ABSENT, 'Given'],
  'spec.outbound.denyCidrs[0]': [
    '',
    'pods.internal',
    '203.0.113.0/33',
    '203.0.113.1/24',
    '203.0.113.0/24:80',
    'fd00::1/8',
  ],
  'spec.outbound.proxy': [
    'proxy.example:3128',
    'socks5://proxy.example',
    'http://user:password@proxy.example:3128',
    'http://proxy.example/path',
    'http://Proxy.example',
    'http://proxy.example:0',
    'http://a b',
  ],
  'spec.outbound.caBundle.configMapName': ['', 'Upper', 'a/b'],
  'spec.outbound.allowHosts[0]': [
    '',
    'https://portal.internal',
    'portal.internal/path',
    'portal.internal:0',
    'portal.internal:https',
    'portal.internal:123456',
    'portal internal',
    'a.internal,b.internal',
    '*.internal',
    '*',
    '10.0.0.0/33',
    '10.0.0.1/8',
    '10.0.0/8',
    '999.0.0.1',
    '10.0.0.0/8:0',
    'fd00::/129',
    'fd00::1/8',
    'fd00:::/8',
    '[fd00::/8]:0',
    '[fd00::/8',
    '[fd00::1/8]:443',
    '[10.0.0.1]:80',
    '10.0.0.1:65536',
    `${'a.'.repeat(126)}aa`,
    `${'a.'.repeat(126)}aa:80`,
  ],
  'spec.images.gate': NOT_AN_IMAGE,
  'spec.images.docbuilder': NOT_AN_IMAGE,
  'spec.images.front': NOT_AN_IMAGE,
  'spec.images.pullPolicy': ['always', 'Sometimes'],
  'spec.images.pullSecrets[0].name': [ABSENT, 'Registry'],
  'spec.images.pullSecrets[1]': [[{ name: 'registry' }, { name: 'registry' }]],
  'spec.logLevel': ['info', 'Verbose'],
  'spec.auditTarget': [
    '',
    'stderr',
    'file:relative',
    'file:/a\nb',
    'syslog://host',
    'https://',
    'https:///audit',
    'https://?x',
    'https://a..b',
    'http://[',
    'http://[::1',
    'http://[fe80::1%eth0]',
    'http://[1.2.3.4]',
    'http://:80',
    'http://host:port',
    'http://host:99999/audit',
    'http://host:0',
    'http://1.2.3.4.5',
    'http://256.256.256.256:80',
    'http://user:password@host',
    'http://user@host',
    'http://host\n',
    'http://host/a\u0000',
    'http://a|b/',
    'http://%zz',
  ],
  'spec.devMode': ['1'],
  'spec.gate.pod.resources.requests.cpu': ['', 'many', -1, '-1', 0.5, '1'.repeat(33)],
  'spec.gate.pod.resources': [
    { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } },
    { requests: { 'ephemeral-storage': '2Gi' }, limits: { 'ephemeral-storage': '1Gi' } },
    { requests: { 'example.com/gpu': 1 } },
    { requests: { 'example.com/gpu': 1 }, limits: { 'example.com/gpu': 2 } },
    { limits: { 'example.com/gpu': '500m' } },
  ],
  'spec.gate.pod.resources.requests': [{ gpu: 1 }, { CPU: 1 }, { storage: '1Gi' }, { 'a b': 1 }, { '': 1 }],
  'spec.gate.pod.resources.limits': [
    { 'a..b/gpu': 1 },
    { 'hugepages-2Mi': '2Mi' },
    Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`example.com/gpu-${index}`, 1])),
  ],
  'spec.docbuilder.pod.resources.limits.memory': ['2GB', true],
  'spec.editor.pod.nodeSelector.pool': ['a b', 7],
  'spec.front.pod.labels': [{ 'a b': 'c' }, { 'Example.com/a': 'c' }, { 'a..b/c': 'd' }],
  'spec.front.pod.nodeSelector': [{ 'a-.b/c': 'd' }, { '': 'd' }],
  'spec.front.pod.annotations': [{ 'a..b/c': 'd' }],
  'spec.front.service.annotations': [{ 'a..b/c': 'd' }],
  'spec.front.pod.labels.team': ['a/b'],
  'spec.front.pod.annotations.note': [7],
  'spec.front.pod.priorityClassName': ['High', 'very..high'],
  'spec.gate.pod.tolerations[0].key': ['', 'a b', '/a', 'a/b/c', 'a..b/c', 'a/'],
  'spec.gate.pod.tolerations[0].operator': ['Like', [{ value: 'x' }], [{ operator: 'Equal', value: 'x' }]],
  'spec.gate.pod.tolerations[0].effect': ['Evict'],
  'spec.gate.pod.tolerations[0].value': [
    [{ key: 'a', operator: 'Exists', value: 'x' }],
    [{ key: 'a', value: 'b c' }],
    [{ key: 'a', value: '-' }],
    [{ key: 'a', value: 'é' }],
  ],
  'spec.gate.pod.tolerations[0].tolerationSeconds': [
    [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }],
    [{ key: 'a', effect: 'NoExecute', tolerationSeconds: -1 }],
  ],
  'spec.gate.pod.affinity.nodeAffinity': ['somewhere'],
};

/** Fields that do not go together; the field is the one that has to change. */
const COMBINATIONS: [field: string, spec: Spec][] = [
  ...['', 'a/b', 'to ken', LONG].map((key): [string, Spec] => [
    'spec.license.key',
    { license: { secretName: 'a', key } },
  ]),
  // Of an instance `office`, which makes these itself.
  ['spec.license.secretName', { license: { secretName: 'office-license' } }],
  ['spec.outbound.caBundle.key', { outbound: { caBundle: { configMapName: 'a', key: 'a/b' } } }],
  ['spec.outbound.caBundle.key', { outbound: { caBundle: { configMapName: 'a', key: '..' } } }],
  ['spec.secrets.secretName', { secrets: { secretName: 'office-secrets' } }],
  ['spec.editor.adminSecretName', { editor: { adminSecretName: 'office-secrets' } }],
  ['spec.tls.secretName', { tls: { mode: 'Disabled', secretName: 'office-tls' } }],
  ['spec.tls.secretName', { tls: { secretName: 'office-tls' }, ingress: route({}) }],
  ['spec.tls.secretName', { tls: { secretName: 'office-tls' }, ingress: { gating: 'None' } }],
  ['spec.ingress.gating', { ingress: route({ gating: 'AuthUrl' }) }],
  ['spec.ingress.gating', { ingress: { kind: 'HTTPRoute', gateway: { name: 'public' } } }],
  ['spec.ingress.gating', { ingress: route({ gating: 'None' }) }],
  ['spec.ingress.gateway', { ingress: { gating: 'Front', kind: 'HTTPRoute' } }],
  ['spec.ingress.gateway', { ingress: { gateway: { name: 'public' } } }],
  ['spec.ingress.gateway', { ingress: { gating: 'Front', gateway: { name: 'public' } } }],
  ['spec.ingress.gateway.name', { ingress: route({ gateway: {} }) }],
  ['spec.ingress.gateway.name', { ingress: route({ gateway: { name: 'Public' } }) }],
  ['spec.ingress.gateway.namespace', { ingress: route({ gateway: { name: 'public', namespace: 'a.b' } }) }],
  ['spec.ingress.gateway.sectionName', { ingress: route({ gateway: { name: 'public', sectionName: 'HTTPS' } }) }],
  ['spec.ingress.className', { ingress: route({ className: 'nginx' }) }],
  ['spec.ingress.className', { ingress: { gating: 'None', className: 'nginx' } }],
  ['spec.ingress.annotations', { ingress: { gating: 'None', annotations: { a: 'b' } } }],
  [
    'spec.ingress.annotations',
    { ingress: { gating: 'Front', className: 'a', annotations: { 'kubernetes.io/ingress.class': 'b' } } },
  ],
  ['spec.gate.replicas', { gate: { replicas: 2 } }],
  ['spec.docbuilder.replicas', { docbuilder: { replicas: 2 } }],
  ['spec.docbuilder.autoscaling', { docbuilder: { autoscaling: {} } }],
  ['spec.storage.editor.ephemeral', { storage: { editor: { ephemeral: true } } }],
  ['spec.storage', { storage: { postgres: { secretName: 'db' } } }],
  ['spec.storage', { storage: { s3: { bucket: 'documents' } } }],
  ['spec.front.service.nodePort', { front: { service: { nodePort: 30080 } } }],
  ['spec.front.service.nodePort', { front: { service: { type: 'NodePort', nodePort: 70000 } } }],
];

/** Names that objects of the instance could not be made from. */
export const BAD_NAMES: readonly string[] = ['a'.repeat(41), 'two.words', '1office', 'Office', 'office-', 'a_b'];

/** Fields that do not exist; `kubectl apply` refuses them, so that a slip is not lost in silence. */
export const UNKNOWN: readonly string[] = [
  'spec.hosts',
  'spec.embed.allowedOrigin',
  'spec.gate.pod.resource',
  'spec.tls.cert',
];

/** Changes of an instance that is there: what it had, what it must not become. */
export const BAD_CHANGES: readonly { field: string; from: Spec; to: Spec }[] = [
  { field: 'spec.storage.gate.size', from: size('gate', '20Gi'), to: size('gate', '10Gi') },
  { field: 'spec.storage.docbuilder.size', from: size('docbuilder', '2Ti'), to: size('docbuilder', '2047Gi') },
  { field: 'spec.storage.editor.size', from: size('editor', '12Gi'), to: GOOD },
  { field: 'spec.storage.className', from: className('fast'), to: className('slow') },
  { field: 'spec.storage.className', from: className('fast'), to: GOOD },
  { field: 'spec.storage.className', from: GOOD, to: className('fast') },
  { field: 'spec.storage.postgres', from: GOOD, to: SHARED },
  { field: 'spec.storage.postgres', from: SHARED, to: GOOD },
  { field: 'spec.storage.s3', from: SHARED, to: bucket({ bucket: 'other' }) },
  { field: 'spec.storage.s3', from: SHARED, to: bucket({ prefix: 'office/' }) },
];

/** All bad specs, each with one mistake. */
export function badSpecs(): BadSpec[] {
  return [
    ...Object.entries(VALUES).flatMap(([field, values]) =>
      values.map((value) => ({ title: shown(value), field, spec: withValue(field, value) })),
    ),
    ...COMBINATIONS.map(([field, spec]) => ({ title: shown(spec), field, spec: { ...GOOD, ...spec } })),
  ];
}

/** A good spec with one field set, or taken out. A list that is given for an item stands for the list of it. */
export function withValue(field: string, value: unknown): Spec {
  const spec = structuredClone(
    /storage[.](postgres|s3)|(gate|docbuilder)[.](replicas|autoscaling)/.test(field) ? SHARED : GOOD,
  );
  const path = field.replace(/^spec\./, '').split('.');
  let node: Record<string, unknown> = spec;
  for (const [index, step] of path.entries()) {
    const [name = '', item] = step.split(/[[\]]/);
    const last = index === path.length - 1;
    if (item !== undefined && (last || Array.isArray(value))) {
      node[name] = Array.isArray(value) ? value : [value];
      return spec;
    }
    if (last) {
      if (value === ABSENT) delete node[name];
      else node[name] = value;
      return spec;
    }
    const next = { ...(node[name] as object | undefined) };
    node[name] = item === undefined ? next : [next];
    node = next;
  }
  return spec;
}

function shown(value: unknown): string {
  const text = value === ABSENT ? 'absent' : JSON.stringify(value);
  return text.length > 70 ? `${text.slice(0, 66)} ...` : text;
}

function many(count: number, value: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, value]));
}

function route(members: Spec): Spec {
  return { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'public' }, ...members };
}

function size(component: string, value: string): Spec {
  return { ...GOOD, storage: { [component]: { size: value } } };
}

function bucket(members: Spec): Spec {
  const { postgres, s3 } = SHARED['storage'] as Record<string, Spec>;
  return { ...GOOD, storage: { postgres, s3: { ...s3, ...members } } };
}

function className(value: string): Spec {
  return { ...GOOD, storage: { className: value } };
}
