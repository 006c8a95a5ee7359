import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import type { SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import { isTrue, startOffice, useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

const ROTATIONS = process.env['SVC_TEST_EXHAUSTIVE'] === '1' ? 100 : 5;
const SECRET = { secretName: 'svc-license' };

describe('the controller rotates the licence', function () {
  this.timeout(60_000);
  const cluster = useTestCluster(async (cluster) => {
    await startOffice(cluster);
    await cluster.completeDeployments();
    await cluster.settled('office', isTrue('Ready'));
  });

  /** Objects with another version than before, by `Kind/name`. */
  async function changedBy(work: () => Promise<unknown>): Promise<string[]> {
    const before = await cluster.versions();
    await work();
    const now = await cluster.versions();
    return Object.keys({ ...before, ...now })
      .filter((name) => before[name] !== now[name])
      .sort();
  }

  /** Puts a licence there and waits until it is in force. */
  async function rotate(conns: number, days?: number): Promise<void> {
    await cluster.putSecret(SECRET.secretName, { token: await cluster.license(conns, days) });
    await cluster.settled('office', ({ status }) => status?.license?.connections === conns);
  }

  const inForce = () => cluster.secretValues('office-license');
  const condition = () => cluster.condition('office', 'LicenseValid');

  it('from none to Enterprise without touching gate, editor, front or Ingress', async () => {
    const changed = await changedBy(async () => {
      await cluster.apply('office', { license: SECRET });
      await cluster.settled('office', ({ status }) => status?.license !== undefined);
      expect(await condition()).to.include({ status: 'False', reason: 'SecretNotFound' });
      await rotate(101);
    });
    expect(changed).to.deep.equal(['ConfigMap/office-docbuilder', 'Secret/office-license']);
    const { status } = await cluster.get('office');
    expect(status).to.deep.include({ edition: 'Enterprise' });
    expect(status?.docbuilder?.workers).to.equal(3);
    expect(status?.plan?.connections).to.equal(101);
  });

  it(`${ROTATIONS} times, and no pod notices but by the file`, async () => {
    const changed = await changedBy(async () => {
      for (let index = 0; index < ROTATIONS; index += 1) await rotate(102 + (index % 48));
    });
    expect(changed).to.deep.equal(['Secret/office-license']);
  });

  it('but keeps the last good one when the new one is broken', async () => {
    const before = await inForce();
    const changed = await changedBy(async () => {
      await cluster.putSecret(SECRET.secretName, { token: 'broken-token' });
      await until('that is told', async () => (await condition())?.reason === 'TokenRejected' || undefined);
    });
    expect(changed).to.deep.equal([]);
    expect(await inForce()).to.deep.equal(before);
    expect((await condition())?.message).to.include('it is not a JWT');
    expect((await cluster.get('office')).status).to.deep.include({ edition: 'Enterprise' });
  });

  it('and gives 30 days of grace when the Secret is deleted', async () => {
    const { token } = await inForce();
    const secret = await cluster.object(RESOURCES.secret, SECRET.secretName);
    await cluster.client.remove(RESOURCES.secret, cluster.namespace, SECRET.secretName, secret?.metadata.uid ?? '');
    await cluster.settled('office', ({ status }) => status?.license?.state === 'Grace');
    const files = await inForce();
    expect(files['token']).to.equal(token);
    expect(Date.now() - Date.parse(files['removed-at'] ?? '')).to.be.lessThan(20_000);
    const { status } = await cluster.get('office');
    expect(status).to.deep.include({ edition: 'Enterprise' });
    expect(status?.license).to.include({ graceDaysLeft: 30 });
  });

  it('which a controller that starts anew does not begin again, and after which it is Community', async () => {
    const files = await inForce();
    await cluster.stopController();
    let now = Date.now() + 29 * 86_400_000;
    await cluster.startController({ clock: () => now });
    await cluster.settled('office', ({ status }) => status?.license?.graceDaysLeft === 1);
    expect(await inForce()).to.deep.equal(files);
    await cluster.stopController();
    now += 2 * 86_400_000;
    await cluster.startController({ clock: () => now });
    const { status } = await cluster.settled('office', (instance) => instance.status?.edition === 'Community');
    expect(status?.docbuilder?.workers).to.equal(1);
    await cluster.stopController();
  });

  it('and warns of its end once at each of 30, 7 and 1 days', async () => {
    await cluster.putSecret(SECRET.secretName, { token: await cluster.license(100, 40) });
    for (const days of [0, 11, 12, 35, 39.5]) {
      await cluster.startController({ clock: () => Date.now() + days * 86_400_000 });
      await until('it was looked at', async () => {
        const { queue } = await cluster.figures();
        return (queue.done > 0 && queue.running + queue.waiting === 0) || undefined;
      });
      await cluster.stopController();
    }
    const { items } = await cluster.client.list<KubernetesObject & { reason: string; type: string }>(RESOURCES.event, {
      namespace: cluster.namespace,
    });
    const warnings = items.filter(({ reason }) => reason.startsWith('ExpiresWithin'));
    expect(warnings.map(({ reason, type }) => `${type} ${reason}`).sort()).to.deep.equal([
      'Warning ExpiresWithin1Day',
      'Warning ExpiresWithin30Days',
      'Warning ExpiresWithin7Days',
    ]);
  });
});

describe('a spec that cannot be applied keeps no licence from the pods, nor its end', function () {
  this.timeout(60_000);
  const refused = {
    ...{ license: SECRET, host: 'other.example', images: { gate: 'svc/gate:never' }, docbuilder: { workers: 7 } },
    ingress: { annotations: { 'nginx.ingress.kubernetes.io/server-snippet': 'x' } },
  };
  let before: SvcInstanceStatus;
  const cluster = useTestCluster(async (cluster) => {
    await cluster.startController();
    await cluster.putSecret(SECRET.secretName, { token: await cluster.license(50) });
    await cluster.apply('office', { license: SECRET });
    await cluster.settled('office');
    await cluster.completeDeployments();
    before = (await cluster.settled('office', isTrue('Ready'))).status ?? {};
    await cluster.apply('office', refused);
    await cluster.readyAs('office', 'NotAllowed');
  });

  /** Figures that follow from the spec. */
  const ofSpec = ({ baseUrl, version, docbuilder, images }: SvcInstanceStatus = {}) =>
    JSON.parse(JSON.stringify({ baseUrl, version, docbuilder, images }));

  it('a renewed one reaches them, and the status has the licence that they have and the rest as it was', async () => {
    const token = await cluster.license(500);
    await cluster.putSecret(SECRET.secretName, { token });
    const { status } = await cluster.settled('office', (found) => found.status?.license?.connections === 500);
    expect(await cluster.secretValues('office-license')).to.include({ token });
    expect(ofSpec(status)).to.deep.equal(ofSpec(before));
    expect(status?.plan).to.include({ connections: 500, parallelJobs: before.docbuilder?.workers });
    expect(await cluster.condition('office', 'LicenseValid')).to.include({ reason: 'Valid' });
    expect(await cluster.condition('office', 'Ready')).to.include({ reason: 'NotAllowed' });
  });

  it('a key that is taken out of the set is taken from them, too', async () => {
    await writeFile(cluster.environment['SVC_LICENSE_KEYS_FILE'] ?? '', '{"keys":[]}');
    const { status } = await cluster.settled('office', (found) => found.status?.edition === 'Community');
    expect(await cluster.secretValues('office-license')).to.include({ 'keys.json': '{"keys":[]}' });
    expect(ofSpec(status)).to.deep.equal(ofSpec(before));
    expect(await cluster.condition('office', 'LicenseValid')).to.include({ status: 'False', reason: 'KeyUnknown' });
  });
});
