import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type Office, officeFor } from './support/office.ts';
import { sessionsOf } from './support/sessions.ts';

const OURS = 'app.kubernetes.io/instance=office,app.kubernetes.io/managed-by=svc-controller';

interface Named {
  metadata: { name: string; uid: string };
}

describe('on a cluster: repairs drift', function () {
  this.timeout(300_000);
  let office: Office;

  before(async function () {
    office = await officeFor(this);
  });

  const deployments = async () => {
    const { items } = await office.get<{ items: Named[] }>('deployments', '--selector', OURS);
    return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
  };

  it('Deployments that were deleted are made again and become Ready, with all that was saved', async () => {
    const sessions = await sessionsOf(office);
    const session = await sessions.create({ key: 'drift' });
    const client = await sessions.open(session);
    await client.addLine('before');
    const version = await sessions.save(session, client);
    await client.leave();

    const before = await deployments();
    expect(before.size).to.equal(4);
    const old = new Set((await office.pods()).map(({ metadata }) => metadata.uid));
    await office.kubectl('delete', 'deployments', '--selector', OURS);
    await until('they are there again', async () => {
      const now = await deployments();
      return [...before].every(([name, uid]) => now.has(name) && now.get(name) !== uid);
    });
    await until(
      'all pods are new ones',
      async () => {
        const pods = await office.pods();
        return pods.length >= 5 && pods.every(({ metadata }) => !old.has(metadata.uid));
      },
      60_000,
    );
    await office.ready();
    const again = await sessionsOf(office);
    expect((await again.state(session)).version).to.equal(version);
    expect((await again.call('/v1/status')).status).to.equal(200);
  });
});
