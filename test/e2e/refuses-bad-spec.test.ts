import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { Agent, request } from 'undici';
import type { SvcInstanceSpec } from '../../src/common/generated/wire.ts';
import { type ApiServer, apiServerMissing, sharedApiServer } from '../support/api-server.ts';
import { established } from '../support/kubectl.ts';
import { BAD_CHANGES, BAD_NAMES, badSpecs, GOOD, type Spec, UNKNOWN, withValue } from './support/bad-specs.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CRD = resolve(ROOT, 'crds/svcinstances.svc.internal.yaml');
const EXAMPLES = resolve(ROOT, 'docs/examples');

/** What the API server says of an object: the object itself, or a Status. */
interface Answer {
  kind: string;
  code?: number;
  message?: string;
  details?: { causes?: { field?: string; message: string }[] };
  spec: SvcInstanceSpec;
}

describe('SvcInstance on a real API server', function () {
  this.timeout(90_000);
  let server: ApiServer;
  let namespace: string;
  let agent: Agent;
  let names = 0;

  before(async function () {
    if (apiServerMissing()) this.skip();
    server = await sharedApiServer();
    agent = new Agent({ connect: { ca: server.ca } });
    await server.kubectl(['apply', '--server-side', '-f', CRD]);
    await established(server.kubectl, 'svcinstances.svc.internal');
    namespace = await server.namespace();
  });

  after(() => agent?.destroy());

  /** Sends an instance. @param query of the address, such as `dryRun=All` */
  async function send(method: 'POST' | 'PUT', object: object, query: string, name = ''): Promise<Answer> {
    const path = `/apis/svc.internal/v1/namespaces/${namespace}/svcinstances${name && `/${name}`}`;
    const answer = await request(`${server.url}${path}?fieldValidation=Strict&${query}`, {
      method,
      dispatcher: agent,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(object),
    });
    return (await answer.body.json()) as Answer;
  }

  const tried = (spec: Spec, name = 'office') => send('POST', instance(name, spec), 'dryRun=All');

  /** That it was refused for this field and no other, and says so to who sent it. */
  function expectRefusal(answer: Answer, field: string): void {
    expect(answer, JSON.stringify(answer)).to.deep.include({ kind: 'Status', code: 422 });
    // An entry of a map is written in either way, and what the scale subresource is begins with a dot.
    const plain = (text = '') => text.replace(/\[([a-z]+)\]/g, '.$1').replace(/^[.]/, '');
    const blamed = (answer.details?.causes ?? []).map((cause) => plain(cause.field)).filter((name) => name !== '<nil>');
    expect([...new Set(blamed)], answer.message).to.deep.equal([field]);
    expect(plain(answer.message)).to.contain(field);
  }

  it('has the CRD accepted, with a structural schema, names and all rules', async () => {
    const { status } = JSON.parse(await server.kubectl(['get', '-f', CRD, '-o', 'json']));
    const conditions = (status.conditions as { type: string; status: string; message: string }[]).map(
      ({ type, status: value }) => [type, value],
    );
    expect(Object.fromEntries(conditions)).to.deep.equal({ NamesAccepted: 'True', Established: 'True' });
  });

  describe('refuses, with the field named,', () => {
    const cases = badSpecs();

    it('at least a hundred specs', () => {
      expect(cases.length).to.be.at.least(100);
    });

    for (const { title, field, spec } of cases) {
      it(`${field}: ${title}`, async () => expectRefusal(await tried(spec), field));
    }

    for (const name of BAD_NAMES) {
      it(`metadata.name: ${name}`, async () => expectRefusal(await tried(GOOD, name), 'metadata.name'));
    }

    for (const field of UNKNOWN) {
      it(`${field}, which does not exist`, async () => {
        const answer = await tried(withValue(field, 'x'));
        expect(answer).to.deep.include({ kind: 'Status', code: 400 });
        expect(answer.message).to.contain(`unknown field "${field}"`);
      });
    }

    it('an instance without a spec', async () => {
      const { spec: _, ...nothing } = instance('office', GOOD);
      expectRefusal(await send('POST', nothing, 'dryRun=All'), 'spec');
    });

    for (const { field, from, to } of BAD_CHANGES) {
      it(`a change of ${field} from ${JSON.stringify(from['storage'])} to ${JSON.stringify(to['storage'])}`, async () => {
        const name = await made(from);
        const { metadata } = JSON.parse(await server.kubectl(['get', 'svci', name, '-n', namespace, '-o', 'json']));
        const changed = { ...instance(name, to), metadata };
        expectRefusal(await send('PUT', changed, 'dryRun=All', name), field);
      });
    }
  });

  it('lets volumes grow', async () => {
    const name = await made({ ...GOOD, storage: { onDelete: 'Retain', gate: { size: '20Gi' } } });
    await apply(instance(name, { ...GOOD, storage: { gate: { size: '0.5Ti' } } }));
  });

  it('says in one line of kubectl what to do', async () => {
    const wrong = instance('office', { ...GOOD, ingress: { gating: 'Front', kind: 'HTTPRoute' } });
    const { stderr } = await apply(wrong).then(
      () => ({ stderr: 'was accepted' }),
      (error: { stderr: string }) => error,
    );
    expect(stderr).to.contain('spec.ingress.gateway');
    expect(stderr).to.contain('is required with kind HTTPRoute: name the Gateway that the route attaches to');
  });

  for (const name of readdirSync(EXAMPLES).filter((file) => file.endsWith('.yaml'))) {
    it(`accepts docs/examples/${name}`, async () => {
      const example = load(readFileSync(resolve(EXAMPLES, name), 'utf8')) as {
        kind: string;
        metadata: { name: string };
      };
      expect([example.kind, example.metadata.name]).to.deep.equal(['SvcInstance', 'office']);
      await server.kubectl(['apply', '-n', namespace, '-f', resolve(EXAMPLES, name), '--dry-run=server']);
    });
  }

  it('accepts the spellings that people use', async () => {
    const specs: Spec[] = [
      { host: 'localhost' },
      { host: 'xn--vn-phng-gxa.example.com', port: 8443, tls: { mode: 'Disabled' } },
      { ...GOOD, embed: { allowedOrigins: ['*'] } },
      {
        ...GOOD,
        embed: { allowedOrigins: ['http://localhost:3000', 'https://[2001:db8::7]:8443', 'https://10.0.0.7'] },
      },
      { ...GOOD, embed: { allowUnsigned: true } },
      {
        ...GOOD,
        docbuilder: {
          workers: 32,
          pod: { resources: { requests: { cpu: 1, memory: '1e9' }, limits: { cpu: '1.5', memory: '1Gi' } } },
        },
      },
      { ...GOOD, editor: { extraParams: ['--o:logging.level=warning', '--o:net.connection_timeout_secs=30'] } },
      {
        ...GOOD,
        editor: {
          extraParams: ['--o:a[0].b[@c]=~!@#$%^&*()', '--o:ssl_verification=true', '--o:x=', '--o:y=Xin chào bạn'],
        },
      },
      { ...GOOD, outbound: { allowHosts: ALLOWED } },
      { ...GOOD, outbound: { proxy: 'http://proxy.example:3128', caBundle: { configMapName: 'authorities' } } },
      { ...GOOD, outbound: { proxy: 'https://[fd00::1]:3128/', caBundle: { configMapName: 'a', key: 'b.pem' } } },
      { ...GOOD, images: { gate: 'r.example.com:5000/a/gate:1.0.0-rc.1', front: `front@sha256:${'0'.repeat(64)}` } },
      { ...GOOD, auditTarget: 'https://audit.example.com/svc?key=1', storage: { className: '' } },
      ...AUDIT_TARGETS.map((auditTarget) => ({ ...GOOD, auditTarget })),
      {
        ...GOOD,
        ingress: { gating: 'Front', annotations: { 'kubernetes.io/ingress.class': 'traefik', 'a.b-c.d/e_f.g': 'h' } },
        editor: { image: 'R-1.example.com:5000/a--b/c__d/e_f.g:1', pod: { priorityClassName: 'a-b.c--d.e' } },
      },
      {
        ...GOOD,
        gate: {
          pod: {
            resources: {
              requests: { cpu: '0.1234', 'example.com/gpu': 1, 'ephemeral-storage': '1Gi' },
              limits: { 'example.com/gpu': '1' },
            },
            tolerations: [{ key: 'example.com/pool', value: 'a_b.c' }, { key: 'pool' }, { key: 'pool', value: '' }],
          },
        },
      },
      { ...GOOD, gate: { pod: { tolerations: [{ operator: 'Exists' }], affinity: { nodeAffinity: { any: [1] } } } } },
    ];
    const answers = await Promise.all(specs.map((spec) => tried(spec)));
    expect(answers.map(({ kind, message }) => message ?? kind)).to.deep.equal(specs.map(() => 'SvcInstance'));
  });

  it('fills in every default, so that code need not', async () => {
    const { spec } = await tried(GOOD);
    expect(spec).to.deep.equal(DEFAULTS);
  });

  it('shows the columns of people who look at many', async () => {
    await made(GOOD);
    const [short, wide] = await Promise.all([
      server.kubectl(['get', 'svci', '-n', namespace]),
      server.kubectl(['get', 'svci', '-n', namespace, '-o', 'wide']),
    ]);
    const columns = (text: string) => text.split('\n')[0]?.trim().split(/\s+/).join(' ');
    expect(columns(short)).to.equal('NAME READY REASON EDITION CONNECTIONS WORKERS HOST AGE');
    expect(columns(wide)).to.equal(
      'NAME READY REASON EDITION CONNECTIONS WORKERS HOST LICENSE EXPIRES VERSION EDITOR AGE',
    );
  });

  it('explains a field', async () => {
    const text = await server.kubectl(['explain', 'svcinstance.spec.docbuilder']);
    expect(text).to.contain('DocBuilder: the REST API that converts').and.to.contain('Engine workers, 1 to 32');
  });

  it('keeps the status apart from the spec, and has one that says that nobody has looked yet', async () => {
    // kstatus takes an instance without any status for ready.
    const none = { observedGeneration: -1 };
    const name = await made({ ...GOOD });
    const status = { edition: 'Community', conditions: [condition('Ready')], plan: { connections: 50 } };
    const patch = JSON.stringify({ status });
    await server.kubectl(['patch', 'svci', name, '-n', namespace, '--type=merge', `-p=${patch}`]);
    const read = () => server.kubectl(['get', 'svci', name, '-n', namespace, '-o', 'json']).then(JSON.parse);
    expect((await read()).status).to.deep.equal(none);
    await server.kubectl([
      'patch',
      'svci',
      name,
      '-n',
      namespace,
      '--subresource=status',
      '--type=merge',
      `-p=${patch}`,
    ]);
    const after = await read();
    expect([after.status, after.metadata.generation]).to.deep.equal([{ ...none, ...status }, 1]);
    expect(await server.kubectl(['get', 'svci', name, '-n', namespace])).to.match(/True +Works +Community +50 /);
  });

  function apply(object: object): Promise<string> {
    return server.kubectl(['apply', '-n', namespace, '-f', '-'], JSON.stringify(object));
  }

  /** Makes an instance. @returns its name */
  async function made(spec: Spec): Promise<string> {
    const name = `office-${++names}`;
    await apply(instance(name, spec));
    return name;
  }
});

function instance(name: string, spec: Spec) {
  return { apiVersion: 'svc.internal/v1', kind: 'SvcInstance', metadata: { name }, spec };
}

function condition(type: string) {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return {
    type,
    status: 'True',
    reason: 'Works',
    message: 'All parts answer.',
    observedGeneration: 1,
    lastTransitionTime,
  };
}

const AUDIT_TARGETS = [
  'off',
  'file:/var/log/svc/audit.log',
  'http://audit',
  'http://audit:8080/',
  'https://audit_1.example.com:65535/a/%20?b=c#d',
  'http://10.0.0.7:8080/svc',
  'http://[fd00::7]:8080/svc',
  'http://Audit.Example.com?key=1:99999',
];

const ALLOWED = [
  'portal.internal',
  'portal:8443',
  'my_host.internal',
  '10.0.0.7',
  '10.0.0.7:8443',
  '10.0.0.0/8',
  '10.0.0.0/8:8443',
  'fd00::7',
  'fd00::/8',
  '[fd00::7]:8443',
  '[fd00::/8]:8443',
];

/** What `host` alone becomes. Checked by the compiler too: members that have defaults are not optional. */
const DEFAULTS: SvcInstanceSpec = {
  host: 'office.example.com',
  tls: { mode: 'Edge' },
  ingress: {
    gating: 'AuthUrl',
    kind: 'Ingress',
    annotations: {},
    controller: { namespace: 'ingress-nginx', podLabels: { 'app.kubernetes.io/name': 'ingress-nginx' } },
  },
  embed: {
    enabled: true,
    allowedOrigins: [],
    allowUnsigned: false,
    foreignHosts: true,
    maxFileMb: 100,
    sessionTtlMinutes: 720,
    retainHours: 24,
  },
  gate: { pod: {} },
  docbuilder: {
    workers: 'auto',
    workerMaxJobs: 200,
    workerMaxAgeMinutes: 60,
    workerMemoryMb: 2048,
    sandbox: 'Auto',
    pod: {},
  },
  editor: { extraParams: [], dictionaries: [], pod: {} },
  front: {
    replicas: 2,
    service: { type: 'ClusterIP', annotations: {} },
    requestsPerAddress: 2000,
    requests: 4000,
    pod: {},
  },
  storage: {
    ...{ onDelete: 'Retain', gate: { size: '20Gi' }, docbuilder: { size: '20Gi' } },
    editor: { size: '10Gi', ephemeral: false },
  },
  outbound: { allowHosts: [], denyCidrs: [] },
  images: { pullPolicy: 'IfNotPresent', pullSecrets: [] },
  logLevel: 'Info',
  auditTarget: 'stdout',
  devMode: false,
};
