import { expect } from 'chai';
import type { DocbuilderStatus, EmbedSession, GateLimits } from '../../../src/common/generated/wire.ts';
import type { EditorClient } from '../../editor/client.ts';
import { until } from '../../support/until.ts';
import { askAgain } from './support/asking.ts';
import { conditionIs, uids } from './support/instance.ts';
import { type Office, officeFor } from './support/office.ts';
import { type ClusterSessions, openSessions } from './support/sessions.ts';

/** Longer than the kubelet takes to bring a Secret to a pod. */
const MOUNT_MS = 120_000;
const DOCBUILDER = 'app.kubernetes.io/instance=office,app.kubernetes.io/component=docbuilder';
const UNTOUCHED = ['gate', 'editor', 'front'];
/** Each asks as many connections as two workers are for; with SVC_TEST_EXHAUSTIVE=1 a hundred of them. */
const RENEWALS = process.env['SVC_TEST_EXHAUSTIVE'] === '1' ? 100 : 2;
const FEWEST_OF_TWO_WORKERS = 51;

interface SizedPod {
  status: { containerStatuses: { restartCount: number; resources: object }[] };
}

describe('on a cluster: rotates the licence', function () {
  this.timeout(180_000);
  let office: Office;
  let sessions: ClusterSessions;
  let session: EmbedSession;
  let client: EditorClient;
  let untouchedAtFirst: object;

  before(async function () {
    office = await officeFor(this);
    sessions = await openSessions(office);
    session = await sessions.create({ key: 'rotation' });
    client = await sessions.open(session);
    untouchedAtFirst = await untouched();
  });
  after(() => client?.leave());

  /** Pods, and how often what makes them was changed, of all that no licence may touch. */
  const untouched = async () => {
    const kinds = ['deployments', 'ingresses'].map(async (kind) => {
      const { items } = await office.get<{ items: { metadata: { name: string; generation: number } }[] }>(kind);
      return items.map(({ metadata: { name, generation } }) => `${kind}/${name} ${generation}`);
    });
    const changes = (await Promise.all(kinds)).flat().filter((line) => !line.includes('docbuilder'));
    return { changes, pods: await uids(office, ...UNTOUCHED) };
  };
  const give = async (token: string) => {
    const data = JSON.stringify({ data: { token: Buffer.from(token).toString('base64') } });
    await office.kubectl('patch', 'secret', 'svc-license', '--type=merge', '--patch', data);
  };
  const limits = async () => (await (await sessions.call('/svc/limits')).json()) as GateLimits;
  const limitIs = (limit: number) =>
    until(`the gate has a limit of ${limit}`, async () => (await limits()).connections.limit === limit, MOUNT_MS);
  const statusIs = (connections: number) =>
    until('the status has it', async () => (await office.instance()).status.plan?.connections === connections);

  const workers = async () => ((await (await sessions.call('/v1/status')).json()) as DocbuilderStatus).workers;

  it('a licence makes it Enterprise: DocBuilder has more workers, in the same pod, and answers all the time', async () => {
    const old = await uids(office, 'docbuilder');
    const end = askAgain({ sessions, handle: office }, { path: '/v1/status' });
    await enterprise();
    await until('two workers', async () => (await workers()).total === 2, MOUNT_MS);
    await until('both are there', async () => (await workers()).idle === 2, MOUNT_MS);
    expect(await end()).to.deep.equal([]);
    expect(await uids(office, 'docbuilder')).to.deep.equal(old);
    const [pod] = await office.get<{ items: SizedPod[] }>('pods', '-l', DOCBUILDER).then(({ items }) => items);
    const [status] = pod?.status.containerStatuses ?? [];
    expect(status?.restartCount).to.equal(0);
    expect(status?.resources).to.deep.equal({
      requests: { cpu: '1', memory: '1536Mi' },
      limits: { cpu: '3', memory: '4992Mi' },
    });
    await limitIs(100);
    expect(await untouched()).to.deep.equal(untouchedAtFirst);
  });

  async function enterprise(): Promise<void> {
    await office.giveLicence({ conns: 100 });
    await conditionIs(office, 'LicenseValid', 'True', 'Valid');
    await office.ready();
    const { status } = await office.instance();
    expect(status.edition).to.equal('Enterprise');
    expect(status.license).to.include({ state: 'Valid', subject: 'Office', connections: 100 });
  }

  it(`renewed ${RENEWALS} times, no pod is started again at all, and who edits notices nothing`, async () => {
    const docbuilder = await uids(office, 'docbuilder');
    for (let renewal = 1; renewal <= RENEWALS; renewal += 1) {
      const conns = renewal === RENEWALS ? 99 : FEWEST_OF_TWO_WORKERS + (renewal % 40);
      await give(await office.licence({ conns }));
      await statusIs(conns);
      await client.addLine(`${conns} connections`);
    }
    await limitIs(99);
    expect(await uids(office, 'docbuilder')).to.deep.equal(docbuilder);
    expect(await untouched()).to.deep.equal(untouchedAtFirst);
    expect(await sessions.save(session, client)).to.be.above(0);
  });
});
