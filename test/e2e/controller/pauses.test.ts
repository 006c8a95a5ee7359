import { expect } from 'chai';
import { RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { isTrue, startOffice, useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

const isPaused = isTrue('Paused');
const PAUSED = { 'svc.internal/paused': 'true' };

describe('the controller leaves a paused instance alone', function () {
  this.timeout(60_000);
  const cluster = useTestCluster(startOffice);

  it('and says so, also of a changed spec', async () => {
    const before = await cluster.versions();
    const { metadata } = await cluster.apply('office', { host: 'other.example' }, PAUSED);
    const { status } = await cluster.settled('office', isPaused);
    expect(status?.observedGeneration).to.equal(metadata.generation);
    expect(await cluster.versions()).to.deep.equal(before);
  });

  it('whatever is done to its objects', async () => {
    const service = await cluster.object(RESOURCES.service, 'office-gate');
    await cluster.client.remove(RESOURCES.service, cluster.namespace, 'office-gate', service?.metadata.uid ?? '');
    const { done } = await cluster.idle();
    await cluster.apply('office', { host: 'other.example' }, { ...PAUSED, 'svc.internal/reconcile-at': 'now' });
    await until('it is looked at', async () => (await cluster.idle()).done > done || undefined);
    expect((await cluster.get('office')).status).not.to.have.property('lastHandledReconcileAt');
    expect(await cluster.object(RESOURCES.service, 'office-gate')).to.equal(undefined);
  });

  it('also of a licence that no pod gets', async () => {
    const { done } = await cluster.idle();
    await cluster.putSecret('svc-license', { token: await cluster.license(120) });
    const spec = { host: 'other.example', license: { secretName: 'svc-license' } };
    await cluster.apply('office', spec, PAUSED);
    await until('it is looked at', async () => (await cluster.idle()).done > done || undefined);
    const { status } = await cluster.settled('office');
    expect(await cluster.condition('office', 'LicenseValid')).to.include({ reason: 'NoLicense' });
    expect(status?.license?.state).to.equal('None');
  });

  it('until that is over, and then catches up', async () => {
    await cluster.apply('office', { host: 'other.example' }, { 'svc.internal/reconcile-at': 'now' });
    const { status } = await cluster.settled('office', (instance) => !isPaused(instance));
    expect(status?.lastHandledReconcileAt).to.equal('now');
    await until('the Service is there again', () => cluster.object(RESOURCES.service, 'office-gate'));
    const deployment = JSON.stringify(await cluster.object(RESOURCES.deployment, 'office-gate'));
    expect(deployment).to.include('https://other.example');
  });
});
