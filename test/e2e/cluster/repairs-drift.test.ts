import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type Office, officeFor } from './support/office.ts';
import { sessionsOf } from './support/sessions.ts';

const OURS = 'app.kubernetes.io/instance=office,app.kubernetes.io/managed-by=svc-controller';
/** Kinds whose objects cost nothing when they are gone for a moment. */
const KINDS = ['services', 'serviceaccounts', 'configmaps', 'poddisruptionbudgets', 'networkpolicies', 'ingresses'];

interface Named {
  metadata: { name: string; uid: string; annotations?: Record<string, string> };
}

describe('on a cluster: repairs drift', function () {
  this.timeout(300_000);
  let office: Office;

  before(async function () {
    office = await officeFor(this);
  });

  const objects = async (kind: string) =>
    Object.fromEntries(
      (await office.get<{ items: Named[] }>(kind, '--selector', OURS)).items.map(({ metadata }) => [
        metadata.name,
        metadata.uid,
      ]),
    );
  /** All of a kind are there again, and are others than before. */
  const anew = (kind: string, before: Record<string, string>) =>
    until(`${kind} are there again`, async () => {
      const now = await objects(kind);
      return Object.entries(before).every(([name, uid]) => now[name] !== undefined && now[name] !== uid);
    });

  for (const kind of KINDS) {
    it(`${kind} that were deleted are made again`, async () => {
      const before = await objects(kind);
      expect(Object.keys(before)).to.not.deep.equal([]);
      await office.kubectl('delete', kind, '--selector', OURS);
      await anew(kind, before);
    });
  }

  it('Deployments that were deleted are made again and become Ready, with all that was saved', async () => {
    const sessions = await sessionsOf(office);
    const session = await sessions.create({ key: 'drift' });
    const client = await sessions.open(session);
    await client.addLine('before');
    const version = await sessions.save(session, client);
    await client.leave();

    const before = await objects('deployments');
    expect(Object.keys(before)).to.have.lengthOf(4);
    const old = new Set((await office.pods()).map(({ metadata }) => metadata.uid));
    await office.kubectl('delete', 'deployments', '--selector', OURS);
    await anew('deployments', before);
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

  it('what was altered is put right, what others have added stays', async () => {
    const front = 'deployment/office-front';
    await office.kubectl('annotate', front, 'example.com/team=office');
    const env =
      '[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nobody.example/front:1"}]';
    await office.kubectl('patch', front, '--type=json', '--patch', env);
    await office.kubectl('scale', 'deployment/office-editor', '--replicas=3');
    interface Deployment extends Named {
      spec: { replicas: number; template: { spec: { containers: { image: string }[] } } };
    }
    await until('it is put right', async () => {
      const [one, two] = [
        await office.get<Deployment>(front),
        await office.get<Deployment>('deployment/office-editor'),
      ];
      return one.spec.template.spec.containers[0]?.image === office.images.front && two.spec.replicas === 1;
    });
    const { metadata } = await office.get<Deployment>(front);
    expect(metadata.annotations).to.include({ 'example.com/team': 'office' });
    await office.kubectl('annotate', front, 'example.com/team-');
    await until('the pods are those of before', async () => (await office.pods('editor')).length === 1, 60_000);
    await office.ready();
  });

  it('all of that is settled: nothing is written any more', async () => {
    const writes = async () => {
      const lines = await office.release.log();
      return lines.filter(({ object }) => object !== undefined).length;
    };
    const before = await writes();
    await office.kubectl('annotate', '--overwrite', 'svcinstance/office', `svc.internal/reconcile-at=${Date.now()}`);
    const { metadata } = await office.get<Named>('svcinstance', 'office');
    const asked = metadata.annotations?.['svc.internal/reconcile-at'];
    await until('it has looked', async () => (await office.instance()).status.lastHandledReconcileAt === asked);
    expect(await writes()).to.equal(before);
  });
});
