import { resolve } from 'node:path';
import { expect } from 'chai';
import { CHART } from '../support/helm.ts';
import { until as within } from '../support/until.ts';
import { type ChartServer, startChartServer } from './support/chart-server.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../docs/examples/community.yaml');
const until = <T>(what: string, probe: () => Promise<T | undefined>): Promise<T> => within(what, probe, 60_000);
/** As OpenShift has it: who makes himself the owner of an object must have the right to delete it. */
const OPENSHIFT = '--enable-admission-plugins=OwnerReferencesPermissionEnforcement';

describe('the chart on an API server that enforces owner references', function () {
  this.timeout(150_000);
  let chart: ChartServer;

  before(async function () {
    chart = await startChartServer(this, [OPENSHIFT]);
  });
  after(() => chart?.stop());

  it('says what it needs to take back objects that have lost their owner, and takes them back with that right', async () => {
    const { kubectl } = chart.server;
    const ready = async () => {
      const path = '{range .status.conditions[?(@.type=="Ready")]}{.reason} {.message}{end}';
      return kubectl(['get', 'svci', 'office', '-o', `jsonpath=${path}`]);
    };
    const controller = await chart.startController();
    try {
      await kubectl(['apply', '-f', EXAMPLE]);
      await until('it progresses', async () => (await ready()).startsWith('Progressing '));
      // As `kubectl delete --cascade=orphan` does, where there is a garbage collector.
      const lost = ['secret/office-secrets', 'service/office-gate'];
      for (const object of lost) {
        await kubectl(['patch', object, '--type=merge', '-p', '{"metadata":{"ownerReferences":null}}']);
      }
      const needed = 'To adopt it, the controller needs rbac.adopt=true in its chart.';
      await until('it says so', async () => (await ready()).includes(needed));
      await chart.run('upgrade', 'svc', CHART, '--set', 'rbac.adopt=true');
      await until('it progresses again', async () => {
        const now = `svc.internal/reconcile-at=${Date.now()}`;
        await kubectl(['annotate', '--overwrite', 'svci', 'office', now]);
        return (await ready()).startsWith('Progressing ');
      });
      const owners = ['get', ...lost, '-o', 'jsonpath={..ownerReferences[*].name}'];
      expect(await kubectl(owners)).to.equal('office office');
    } finally {
      controller.child.kill('SIGTERM');
      await controller.ended;
    }
  });
});
