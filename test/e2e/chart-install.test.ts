import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../../cmd/local/port.ts';
import type { ApiServer } from '../support/api-server.ts';
import { CHART } from '../support/helm.ts';
import { established } from '../support/kubectl.ts';
import { until as within } from '../support/until.ts';
import { type ChartServer, sharedChartServer } from './support/chart-server.ts';

const root = resolve(import.meta.dirname, '../..');
/** Longer than a lease lasts that a controller before left behind. */
const until = <T>(what: string, probe: () => Promise<T | undefined>): Promise<T> => within(what, probe, 60_000);
const EXAMPLE = join(root, 'docs/examples/community.yaml');
/** A claim that was restored from a snapshot. */
const RESTORED = JSON.stringify({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'office-gate', annotations: { 'svc.internal/applied': 'true' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '20Gi' } } },
});
const NO_EDGE = JSON.stringify({ spec: { ingress: { gating: 'None' } } });
const CONTROLLER = 'system:serviceaccount:svc-system:svc-controller';

describe('the chart on an API server', function () {
  this.timeout(150_000);
  let chart: ChartServer;
  let server: ApiServer;

  before(async function () {
    chart = await sharedChartServer(this);
    server = chart.server;
  });

  const run: ChartServer['run'] = (...parameters) => chart.run(...parameters);

  it('is installed with one command, and an instance can be applied', async () => {
    expect(chart.installed).to.include('STATUS: deployed').and.to.include('NOTES:');
    const ofNotes = /<<'YAML'\n(.*?)\n *YAML\n/s.exec(chart.installed)?.[1]?.replaceAll(/^ {2}/gm, '');
    const guide = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
    const ofGuide = /```yaml\n( *apiVersion: svc.*?)```/s.exec(guide)?.[1]?.replaceAll(/^ {3}/gm, '');
    for (const [instance, line] of [
      [readFileSync(join(root, 'docs/examples/enterprise.yaml'), 'utf8'), /office .* office\.example\.com /],
      [ofNotes, /office .* office\.example /],
      [ofGuide, /office .* office\.example /],
    ] as const) {
      await server.kubectl(['delete', 'svci', '--all']);
      await server.kubectl(['apply', '-f', '-'], instance ?? '');
      expect(await server.kubectl(['get', 'svci'])).to.match(line);
    }
  });

  it('lets the controller do its work, and nothing else', async () => {
    const can = (what: string): Promise<boolean> =>
      server.kubectl(['auth', 'can-i', ...what.split(' '), '--as', CONTROLLER]).then(
        (text) => text.trim() === 'yes',
        () => false,
      );
    const allowed = [
      'list svcinstances --all-namespaces',
      'patch svcinstances --subresource=status -n default',
      'create deployments -n default',
      'get secrets -n default',
      'list pods -n default',
      'patch events.events.k8s.io -n default',
      'list events.events.k8s.io -n default',
      'update leases/svc-controller -n svc-system',
      'get customresourcedefinitions/svcinstances.svc.internal',
    ];
    const refused = [
      'patch svcinstances -n default',
      'update deployments -n default',
      'update secrets -n default',
      'delete svcinstances -n default',
      'create pods -n default',
      'create pods --subresource=exec -n default',
      'delete secrets -n default',
      'deletecollection secrets -n default',
      'delete persistentvolumeclaims -n default',
      'create serviceaccounts --subresource=token -n default',
      'create rolebindings -n default',
      'list nodes',
      'get customresourcedefinitions/others.example.com',
      'update leases/another -n svc-system',
      'get leases/svc-controller -n default',
    ];
    const all = [...allowed, ...refused];
    const answers = await Promise.all(all.map(can));
    expect(all.filter((_, index) => answers[index])).to.deep.equal(allowed);
  });

  for (const [mode, namespace, values] of [
    ['of the whole cluster', 'anywhere', []],
    [
      'of one namespace',
      'team',
      ['watchNamespaces=["team"]', 'createClusterScopedResources=false', 'crds.enabled=false'],
    ],
  ] as const) {
    it(`gives a real controller, ${mode}, all that it needs from the first object to the last`, async () => {
      const kubectl = (parameters: readonly string[], input?: string) =>
        server.kubectl(['-n', namespace, ...parameters], input);
      await server.kubectl(['create', 'namespace', namespace]);
      await run('upgrade', 'svc', CHART, ...values.flatMap((value) => ['--set-json', value]));
      const controller = await chart.startController(values);
      try {
        await kubectl(['apply', '-f', '-'], RESTORED);
        await kubectl(['apply', '-f', EXAMPLE]);
        const there = (object: string) => kubectl(['get', object, '-o', 'name']).catch(() => '');
        await until('the last object', async () => (await there('ingress/office')) !== '');
        const message = 'jsonpath={.status.conditions[?(@.type=="Ready")].message}';
        await until('a status that has looked for pods', async () =>
          (await kubectl(['get', 'svci', 'office', '-o', message])).includes('is starting'),
        );
        // docs/kubernetes-operations.md says so of a restored claim.
        const label = 'jsonpath={.metadata.labels.app\\.kubernetes\\.io/managed-by}';
        expect(await kubectl(['get', 'pvc', 'office-gate', '-o', label])).to.equal('svc-controller');
        // Objects that the spec no longer asks for go, deleted ones come back.
        await kubectl(['delete', 'poddisruptionbudget/office-front']);
        await kubectl(['patch', 'svci', 'office', '--type=merge', '-p', NO_EDGE]);
        await until('no edge', async () => (await there('ingress/office')) === '');
        await until('the budget', async () => (await there('poddisruptionbudget/office-front')) !== '');
        await kubectl(['annotate', 'svci', 'office', 'svc.internal/paused=true']);
        await until('an event', async () => (await kubectl(['get', 'events.events.k8s.io', '-o', 'name'])) !== '');
        controller.child.kill('SIGTERM');
        expect(await controller.ended).to.equal(0);
        expect(controller.log()).not.to.match(/forbidden|"status":403|Refused/);
      } finally {
        controller.child.kill('SIGKILL');
        await kubectl(['delete', 'svci', '--all']);
      }
    });
  }

  it('says what the controller needs to take back objects that have lost their owner, and gives it that right', async () => {
    const kubectl = (...parameters: string[]) => server.kubectl(['-n', 'adopts', ...parameters]);
    await server.kubectl(['create', 'namespace', 'adopts']);
    await run('upgrade', 'svc', CHART, '--reset-values');
    const ready = () => {
      const path = '{range .status.conditions[?(@.type=="Ready")]}{.reason} {.message}{end}';
      return kubectl('get', 'svci', 'office', '-o', `jsonpath=${path}`);
    };
    const controller = await chart.startController();
    try {
      await kubectl('apply', '-f', EXAMPLE);
      await until('it progresses', async () => (await ready()).startsWith('Progressing '));
      // `kubectl delete --cascade=orphan` leaves them so, where there is a garbage collector.
      const lost = ['secret/office-secrets', 'service/office-gate'];
      for (const object of lost)
        await kubectl('patch', object, '--type=merge', '-p', '{"metadata":{"ownerReferences":null}}');
      const needed = 'To adopt it, the controller needs rbac.adopt=true in its chart.';
      await until('it says so', async () => (await ready()).includes(needed));
      await run('upgrade', 'svc', CHART, '--set', 'rbac.adopt=true');
      await until('it progresses again', async () => {
        await kubectl('annotate', '--overwrite', 'svci', 'office', `svc.internal/reconcile-at=${Date.now()}`);
        return (await ready()).startsWith('Progressing ');
      });
      const owners = await kubectl('get', ...lost, '-o', 'jsonpath={..ownerReferences[*].name}');
      expect(owners).to.equal('office office');
    } finally {
      controller.child.kill('SIGTERM');
      await controller.ended;
      await kubectl('delete', 'svci', '--all');
    }
  });

  it('says that the CRD is gone, and goes on by itself when it is installed anew', async () => {
    const [port] = await freePorts(1);
    const controller = await chart.startController([], { SVC_CONTROLLER_LISTEN: `127.0.0.1:${port}` });
    const readiness = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.text(),
        () => '',
      );
    try {
      await run('upgrade', 'svc', CHART, '--reset-values');
      await until('it is ready', async () => (await readiness()) === 'ok');
      await server.kubectl(['delete', 'crd', 'svcinstances.svc.internal']);
      await until('it is not', async () => (await readiness()).includes('is not installed: apply crds/'));
      const line = '"kind":"SvcInstance","msg":"the API server does not have this kind any more"';
      await until('it is logged', async () => controller.log().includes(line));
      await run('upgrade', 'svc', CHART, '--reset-values');
      await established(server.kubectl, 'svcinstances.svc.internal');
      await within('it is ready again', async () => (await readiness()) === 'ok', 15_000);
      await server.kubectl(['apply', '-f', EXAMPLE]);
      await until('the instance is dealt with', async () => {
        const text = await server.kubectl(['get', 'svci', 'office', '-o', 'jsonpath={.status.conditions}']);
        return text !== '';
      });
    } finally {
      controller.child.kill('SIGKILL');
    }
  });

  it('is installed a second time under another name, for other namespaces, with the CRD of the first', async () => {
    await server.kubectl(['create', 'namespace', 'others']);
    const watched = ['--set-json', 'watchNamespaces=["others"]'];
    const refused = await run('install', 'second', CHART, ...watched).catch(
      (error: { stderr: string }) => error.stderr,
    );
    expect(refused).to.include('svcinstances.svc.internal').and.to.include('ownership');
    expect(await run('install', 'second', CHART, ...watched, '--set', 'crds.enabled=false')).to.include('deployed');
    await run('uninstall', 'second');
  });

  it('keeps the CRD and every instance when it is upgraded without, and takes it back', async () => {
    await server.kubectl(['apply', '-f', EXAMPLE]);
    const instance = () => server.kubectl(['get', 'svcinstance', 'office', '-o', 'jsonpath={.metadata.uid}']);
    const before = await instance();
    await run('upgrade', 'svc', CHART, '--set', 'crds.enabled=false');
    expect(await instance()).to.equal(before);
    await run('upgrade', 'svc', CHART);
    expect(await instance()).to.equal(before);
  });

  it('leaves the CRD and every instance when it is uninstalled, and can be installed again', async () => {
    await server.kubectl(['apply', '-f', EXAMPLE]);
    await run('uninstall', 'svc');
    expect(await server.kubectl(['get', 'deployments', '-n', 'svc-system', '-o', 'name'])).to.equal('');
    expect(await server.kubectl(['get', 'svcinstances', '-o', 'name'])).to.equal('svcinstance.svc.internal/office\n');
    expect(await run('install', 'svc', CHART)).to.include('STATUS: deployed');
  });
});
