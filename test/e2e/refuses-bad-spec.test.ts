import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { Agent, request } from 'undici';
import { type ApiServer, apiServerMissing, sharedApiServer } from '../support/api-server.ts';
import { expectGolden } from '../support/golden.ts';
import { established } from '../support/kubectl.ts';

type Spec = Record<string, unknown>;

const ROOT = resolve(import.meta.dirname, '../..');
const CRD = resolve(ROOT, 'crds/svcinstances.svc.internal.yaml');
const EXAMPLES = resolve(ROOT, 'docs/examples');

const GOOD: Spec = { host: 'office.example.com' };
/** Documents in a database and a bucket. */
const SHARED: Spec = {
  ...GOOD,
  storage: { postgres: { secretName: 'db' }, s3: { bucket: 'documents', secretName: 'bucket' } },
};
const LONG = 'a'.repeat(254);

interface Cases {
  values: Record<string, unknown[]>;
  absent: string[];
  together: [field: string, members: Spec][];
  changes: [field: string, from: Spec, to: Spec][];
  taken: Spec[];
}
const CASES = load(readFileSync(resolve(import.meta.dirname, 'support/specs.yaml'), 'utf8')) as Cases;

/** More values of fields: those that are too long or too many. */
const TOO_MUCH: Record<string, unknown[]> = {
  'spec.host': [`${'a'.repeat(64)}.example.com`, LONG],
  'spec.tls.secretName': [LONG],
  'spec.license.secretName': [LONG],
  'spec.ingress.annotations': [many(33), { [`${'a.'.repeat(127)}a/b`]: 'c' }],
  'spec.ingress.annotations.key': ['a'.repeat(4097)],
  'spec.ingress.controller.namespace': ['a'.repeat(64)],
  'spec.ingress.controller.podLabels': [many(33)],
  'spec.ingress.controller.podLabels.key': ['a'.repeat(64)],
  'spec.embed.allowedOrigins': [Array.from({ length: 65 }, (_, index) => `https://portal-${index}.example.com`)],
  'spec.editor.wopiHosts': [Array.from({ length: 17 }, (_, index) => `https://files-${index}.example.com`)],
  'spec.editor.wopiHosts[0]': [`https://${'a'.repeat(64)}.example.com`, `https://${'a.'.repeat(130)}a`],
  'spec.editor.extraParams': [Array.from({ length: 65 }, (_, index) => `--o:a.b${index}=c`)],
  'spec.storage.s3.bucket': ['a'.repeat(64)],
  'spec.storage.s3.serviceAccountAnnotations': [many(33)],
  'spec.outbound.allowHosts[0]': [`${'a.'.repeat(126)}aa`, `${'a.'.repeat(126)}aa:80`],
};

/** Names that objects of the instance could not be made from. */
const BAD_NAMES = ['a'.repeat(41), 'two.words', '1office', 'Office', 'office-', 'a_b'];

/** Fields that do not exist; `kubectl apply` refuses them, so that a slip is not lost in silence. */
const UNKNOWN = ['spec.hosts', 'spec.embed.allowedOrigin', 'spec.gate.pod.resource', 'spec.tls.cert'];

/** An answer of the API server: the object itself, or a Status. */
interface Answer {
  kind: string;
  code?: number;
  message?: string;
  details?: { causes?: { field?: string; message: string }[] };
  metadata: object;
  spec: object;
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
  function expectRefusal(answer: Answer, field: string, sent: unknown): void {
    expect(answer, `${JSON.stringify(sent)}: ${JSON.stringify(answer)}`).to.deep.include({
      kind: 'Status',
      code: 422,
    });
    // An entry of a map is written in either way, and what the scale subresource is begins with a dot.
    const plain = (text = '') => text.replace(/\[([a-z]+)\]/g, '.$1').replace(/^[.]/, '');
    const blamed = (answer.details?.causes ?? []).map((cause) => plain(cause.field)).filter((name) => name !== '<nil>');
    expect([...new Set(blamed)], answer.message).to.deep.equal([field]);
    expect(plain(answer.message)).to.contain(field);
  }

  describe('refuses, with the field named,', () => {
    const refused: [field: string, specs: Spec[]][] = [
      ...[...Object.entries(CASES.values), ...Object.entries(TOO_MUCH)].map(([field, values]): [string, Spec[]] => [
        field,
        values.map((value) => withValue(field, value)),
      ]),
      ...CASES.absent.map((field): [string, Spec[]] => [field, [withValue(field, undefined)]]),
      ...[...CASES.together, ['spec.license.key', { license: { secretName: 'a', key: LONG } }] as const].map(
        ([field, members]): [string, Spec[]] => [field, [{ ...GOOD, ...members }]],
      ),
    ];

    for (const [field, cases] of Map.groupBy(refused, ([name]) => name)) {
      it(field, async () => {
        for (const spec of cases.flatMap(([, specs]) => specs)) expectRefusal(await tried(spec), field, spec);
      });
    }

    it('names of which no objects can be made', async () => {
      for (const name of BAD_NAMES) expectRefusal(await tried(GOOD, name), 'metadata.name', name);
    });

    it('fields that do not exist', async () => {
      for (const field of UNKNOWN) {
        const answer = await tried(withValue(field, 'x'));
        expect(answer, field).to.deep.include({ kind: 'Status', code: 400 });
        expect(answer.message).to.contain(`unknown field "${field}"`);
      }
    });

    it('an instance without a spec', async () => {
      const { spec: _, ...nothing } = instance('office', GOOD);
      expectRefusal(await send('POST', nothing, 'dryRun=All'), 'spec', nothing);
    });

    for (const [field, from, to] of CASES.changes) {
      it(`a change of ${field} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`, async () => {
        const name = `office-${++names}`;
        const { metadata } = await send('POST', instance(name, { ...GOOD, storage: from }), '');
        const changed = { ...instance(name, { ...GOOD, storage: to }), metadata };
        expectRefusal(await send('PUT', changed, 'dryRun=All', name), field, changed);
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
    const specs = CASES.taken.map((members) => ({ ...GOOD, ...members }));
    const answers = await Promise.all(specs.map((spec) => tried(spec)));
    expect(answers.map(({ kind, message }) => message ?? kind)).to.deep.equal(specs.map(() => 'SvcInstance'));
  });

  it('fills in every default, so that code need not', async () => {
    expectGolden(new URL('golden/instance-defaults.yaml', import.meta.url), [(await tried(GOOD)).spec]);
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

  it('keeps the status apart from the spec, and has one that says that nobody has looked yet', async () => {
    // kstatus takes an instance without any status for ready.
    const none = { observedGeneration: -1 };
    const name = await made({ ...GOOD });
    const ready = { type: 'Ready', status: 'True', reason: 'Works', message: 'All parts answer.' };
    const conditions = [{ ...ready, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const status = { edition: 'Community', conditions, plan: { connections: 50 } };
    const patch = JSON.stringify({ status });
    const patching = ['patch', 'svci', name, '-n', namespace, '--type=merge', `-p=${patch}`];
    await server.kubectl(patching);
    const read = () => server.kubectl(['get', 'svci', name, '-n', namespace, '-o', 'json']).then(JSON.parse);
    expect((await read()).status).to.deep.equal(none);
    await server.kubectl([...patching, '--subresource=status']);
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

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 'value']));
}

/** A good spec with one field set, or taken out with undefined. A list that is given for an item stands for the list of it. */
function withValue(field: string, value: unknown): Spec {
  const isOfShared = /storage[.](postgres|s3)|(gate|docbuilder)[.](replicas|autoscaling)/.test(field);
  const spec = structuredClone(isOfShared ? SHARED : GOOD);
  const path = field.replace(/^spec\./, '').split('.');
  let node: Record<string, unknown> = spec;
  for (const [index, step] of path.entries()) {
    const [name = '', item] = step.split(/[[\]]/);
    const isLast = index === path.length - 1;
    if (item !== undefined && (isLast || Array.isArray(value))) {
      node[name] = Array.isArray(value) ? value : [value];
      return spec;
    }
    const next = isLast ? value : { ...(node[name] as object | undefined) };
    node[name] = item === undefined ? next : [next];
    node = next as Record<string, unknown>;
  }
  return spec;
}
