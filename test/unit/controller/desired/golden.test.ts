import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { findDifferences } from '../../../support/differences.ts';
import { expectGolden } from '../../../support/golden.ts';
import { INSTANCES, SHARED } from './instances.ts';
import { makeObjects } from './objects.ts';
import { enterprise, type Options, type PartialSpec } from './situation.ts';

const SCHEMA = new URL('../../../../schemas/svcinstance-spec.json', import.meta.url);

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
}

/** Members that the schema has and `value` does not set, as paths. */
function unset(schema: Schema, value: unknown, definitions: Record<string, Schema>, path = 'spec'): string[] {
  if (value === undefined) return [path];
  const { properties = {} } = definitions[schema.$ref?.replace('#/definitions/', '') ?? ''] ?? schema;
  return Object.entries(properties).flatMap(([name, property]) =>
    unset(property, (value as Record<string, unknown>)[name], definitions, `${path}.${name}`),
  );
}

/** Fields that an instance with a shared store has, and no other. */
const OF_STORE = /^spec[.](storage[.](postgres|s3|editor[.]ephemeral)|(gate|docbuilder)[.](replicas|autoscaling))/;

describe('objects of an instance', () => {
  it('are seen of each field of the spec: everything-set sets it, those of the store shared', () => {
    const schema: Schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
    const missing = (name: string, isOfStore: boolean) =>
      unset(schema, INSTANCES[name]?.spec, schema.definitions ?? {}).filter(
        (path) => OF_STORE.test(path) === isOfStore && !path.includes('.affinity.'),
      );
    // An affinity is handed on as it is. These two are an Ingress's, and its edge is an HTTPRoute.
    expect(missing('everything-set', false)).to.deep.equal(['spec.tls.secretName', 'spec.ingress.className']);
    // It has keys, and so no role.
    expect(missing('shared', true)).to.deep.equal(['spec.storage.s3.serviceAccountAnnotations']);
  });

  for (const [name, options] of Object.entries(INSTANCES)) {
    it(`are those of golden/${name}.yaml, in the same order (UPDATE_GOLDEN=1 writes it)`, () => {
      expectGolden(new URL(`golden/${name}.yaml`, import.meta.url), makeObjects(options));
    });
  }
});

const ROUTE = { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'public' } };
const NGINX = 'nginx.ingress.kubernetes.io';
const embed = (...allowedOrigins: string[]): PartialSpec => ({ embed: { allowedOrigins } });
const noTls = (more: PartialSpec = {}): Options => ({ spec: { tls: { mode: 'Disabled' }, ...more } });
/** DocBuilder's Deployment was made with this size, and keeps it. */
const MADE = { template: { requests: { cpu: '1' }, limits: { memory: '3Gi' } } };
const licensed = (conns: number, spec: PartialSpec = {}): Options => ({ license: enterprise(conns), spec });
const shared = (docbuilder: object = {}): Options => licensed(500, { storage: SHARED, docbuilder });

/** Each rule with an instance that shows it, and the instance that it is compared with: the smallest unless another is named. */
const VARIANTS: Readonly<Record<string, readonly [options: Options, base?: Options]>> = {
  'a port of its own is part of each address': [{ spec: { port: 8443 } }],
  'the port of HTTPS is part of none': [{ spec: { port: 443 } }],
  'the port of HTTP is part of each with TLS': [{ spec: { port: 80 } }],
  'addresses without TLS are http': [noTls()],
  'the port of HTTP is part of none without TLS': [noTls({ port: 80 }), noTls()],
  'the port of HTTPS is part of each without TLS': [noTls({ port: 443 }), noTls()],
  'pages that may embed may frame the editor, by host and port': [
    { spec: embed('https://portal.example', 'https://a.example:444') },
  ],
  'the service itself is named once where the spec names it too': [{ spec: embed('https://office.example') }],
  'a page over http is named in both ways, where the editor is over https': [{ spec: embed('http://localhost:8000') }],
  'a page over http is named once, where the editor is over http as well': [
    noTls(embed('http://localhost:8000')),
    noTls(),
  ],
  'with a star every page may embed, and frame the editor at any port': [{ spec: embed('*') }],
  'a dollar is one also for the kubelet, which puts variables in': [
    { spec: { auditTarget: 'https://audit.example/$(HOME)$', editor: { extraParams: ['--o:x[@y]=$(password)$'] } } },
  ],

  'with gating Front there is one Ingress, which asks nobody and takes the default class': [
    { spec: { ingress: { gating: 'Front' } } },
  ],
  'with gating None there is no Ingress': [{ spec: { ingress: { gating: 'None' } } }],
  'with an HTTPRoute there is no Ingress': [{ spec: { ingress: ROUTE } }],
  'an Ingress has the class of the spec': [{ spec: { ingress: { className: 'public' } } }],
  'an Ingress ends TLS with the Secret of the spec': [{ spec: { tls: { secretName: 'office-tls' } } }],
  "an Ingress has people's annotations beside ours, which win": [
    {
      spec: {
        ingress: {
          annotations: {
            'cert-manager.io/cluster-issuer': 'letsencrypt',
            [`${NGINX}/auth-url`]: 'http://elsewhere.example/always-200',
            [`${NGINX}/auth-method`]: 'POST',
            [`${NGINX}/proxy-body-size`]: '1m',
          },
        },
      },
    },
  ],
  'a front that everybody reaches believes no edge who a client is': [
    { spec: { front: { service: { type: 'LoadBalancer' } } } },
  ],
  'a front that everybody reaches believes the edges that the spec names': [
    { spec: { front: { service: { type: 'LoadBalancer' }, trustedEdges: ['192.0.2.7'] } } },
  ],
  'a front goes back through edges in a row where the spec names them': [
    { spec: { front: { trustedEdges: ['10.0.0.0/8'] } } },
  ],
  'a front believes no edge where the spec names none': [{ spec: { front: { trustedEdges: [] } } }],
  'an edge that asks is let in as the spec describes it': [
    { spec: { ingress: { controller: { namespace: 'edge', podLabels: { app: 'nginx' } } } } },
  ],
  'all pods listen by IPv6 where the controller does': [{ settings: { listen: { host: '::' } } }],
  'the address of an IPv6 DNS is written as nginx reads it': [
    { settings: { clusterDns: 'fd00:10:96::a', dnsAddress: 'fd00:10:96::a' } },
  ],
  'a front is told of no DNS where the administrator names none: it has that of its own node': [
    { settings: { clusterDns: '' } },
  ],
  'a leader on a node with a cache for DNS starts no pod anew, and what policies open is the same but for one address':
    [{ settings: { clusterDns: '', dnsAddress: '169.254.20.10' } }, { settings: { clusterDns: '' } }],

  "Secrets for private registries are the controller's in every pod": [
    { settings: { pullSecrets: ['mirror', 'own'] } },
  ],
  'Secrets for private registries are those of the instance where it names some': [
    { settings: { pullSecrets: ['mirror'] }, spec: { images: { pullSecrets: [{ name: 'ours' }] } } },
  ],
  'another version of the controller restarts no pod': [{ settings: { version: '1.0.1+build.5' } }],
  'another password of the editor restarts gate and editor': [{ given: { admin: { username: 'a', password: 'b' } } }],
  'another secret for signing restarts the gate': [
    { given: { values: { 'embed-jwt-secret': 'another one, and long enough' } } },
  ],
  'unsigned configurations are taken where the spec says so, and no secret, former ones among them, stands against it':
    [
      {
        spec: { devMode: true, embed: { allowUnsigned: true } },
        given: { allowUnsigned: true, values: { 'embed-jwt-secret-previous': 'p'.repeat(32) } },
      },
    ],

  'resources of the spec are written as the API does': [
    { spec: { docbuilder: { pod: { resources: { requests: { cpu: 2 }, limits: { cpu: 4, memory: '6Gi' } } } } } },
  ],
  'a shorter job shortens the stop of DocBuilder': [{ spec: { docbuilder: { jobTimeoutSeconds: 90 } } }],
  'a licence for more workers changes their number and the size of DocBuilder': [licensed(101), licensed(100)],
  'a licence for more workers changes their number alone, where the Deployment keeps its size': [
    { ...licensed(500), docbuilder: MADE },
    { ...licensed(100), docbuilder: MADE },
  ],
  'a licence for more workers changes their number alone, where the spec gives the size': [
    licensed(500, { docbuilder: { pod: { resources: MADE.template } } }),
    licensed(100, { docbuilder: { pod: { resources: MADE.template } } }),
  ],

  'a shared store makes gate and DocBuilder stateless: two gates, a pod for four workers, replaced one after the other':
    [shared(), licensed(500)],
  'a licence for more workers adds pods that are made as before, where they are stateless': [
    { ...shared(), docbuilder: MADE },
    { ...licensed(100, { storage: SHARED }), docbuilder: MADE },
  ],
  'an autoscaler keeps the number of pods between that of the spec and that of the plan': [
    { ...shared({ autoscaling: { minReplicas: 2 } }), docbuilder: { replicas: 3 } },
    shared(),
  ],
  'the editor is let out to other WOPI hosts, at the ports that their addresses have or mean': [
    { spec: { editor: { wopiHosts: ['https://files.example', 'http://cloud.files:8080', 'https://wiki.example'] } } },
  ],
  'gate and DocBuilder are let out to the ports of their store, usual ones where its addresses name none': [
    {
      ...licensed(500, { storage: { ...SHARED, s3: { ...SHARED.s3, endpoint: 'https://s3.example' } } }),
      given: { store: { 'database-url': 'postgresql://svc@office-db-rw/svc' } },
    },
    { ...shared(), given: { store: { 'database-url': 'postgresql://svc@office-db-rw:5433/svc' } } },
  ],
  'a bucket without keys is opened by the role of the pods': [
    licensed(500, {
      storage: {
        ...SHARED,
        s3: {
          bucket: 'documents',
          serviceAccountAnnotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/x' },
        },
      },
    }),
    shared(),
  ],
};

describe('the objects of another instance', () => {
  const found = Object.entries(VARIANTS).map(([rule, [options, base = {}]]) => ({
    rule,
    changes: findDifferences(makeObjects(base), makeObjects(options)),
  }));
  it(`differ as expected/variants.yaml says, for ${found.length} rules (UPDATE_GOLDEN=1 writes it)`, () => {
    expectGolden(new URL('expected/variants.yaml', import.meta.url), found);
  });
});
