import { expect } from 'chai';
import { form } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type NodesEdge, startNodesEdge } from './nodes-edge.ts';
import { type TwoNodes, useTwoNodes } from './nodes-ground.ts';
import type { Pod } from './support/instance.ts';
import { type Office, officeFor } from './support/office.ts';
import { type SharedInstance, startSharedInstance } from './support/shared-instance.ts';
import { startWriter } from './support/writer.ts';

const NODE_PORT = 30082;
const SEVERAL = ['gate', 'docbuilder', 'front'];
const PEOPLE = ['an', 'binh', 'chi', 'dung'];

const letter = () => form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf' });

/** The pods of the instance are on two nodes; nothing that it keeps is on either. */
describe('on a cluster: two nodes', function () {
  this.timeout(600_000);
  let office: Office;
  let edge: NodesEdge;
  let nodes: TwoNodes;
  let apart: SharedInstance;

  before(async function () {
    office = await officeFor(this);
    const { cluster } = office;
    nodes = await useTwoNodes(cluster, office.images);
    edge = await startNodesEdge(nodes.addresses, NODE_PORT);
    // All of it begins on the first node.
    await nodes.cordon(cluster.secondNode);
    apart = await startSharedInstance(this, office, {
      ...{ name: 'apart', nodePort: NODE_PORT, fronts: 2, storage: { editor: { ephemeral: true } } },
      edge: { address: '127.0.0.1', port: edge.port },
    });
    await nodes.uncordon(cluster.secondNode);
  });
  after(async () => {
    await apart?.stop();
    edge?.close();
    await nodes?.end();
    await office?.release.ready();
    await office?.ready();
  });

  const placesOf = async (component: string) =>
    (await apart.pods(component)).map(({ spec }) => spec.nodeName ?? 'nowhere');
  const all = async (): Promise<Pod[]> =>
    (await apart.get<{ items: Pod[] }>('pods', '-l', 'app.kubernetes.io/instance=apart')).items;

  async function spread(): Promise<void> {
    for (const component of SEVERAL) await apart.kubectl('rollout', 'restart', `deployment/apart-${component}`);
    for (const component of SEVERAL)
      await apart.kubectl('rollout', 'status', `deployment/apart-${component}`, '--timeout=200s');
    await apart.ready();
  }

  /** Requests of all kinds until told to end; what failed of them, and what was lost. */
  async function startLoad(key: string): Promise<() => Promise<string[]>> {
    const { sessions } = apart;
    const session = await sessions.create({ key: `${key}-download` });
    const client = await sessions.open(session);
    await client.addLine('để tải');
    await sessions.save(session, client);
    await client.leave();
    const { download_url } = await sessions.state(session);
    const { pathname, search } = new URL(download_url);
    const asking = [
      apart.ask(),
      apart.ask({ path: `${pathname}${search}`, pauseMs: 100 }),
      // The licence allows 120 a minute.
      apart.ask({ path: '/v1/convert', pauseMs: 700, body: letter }),
    ];
    const writers = [1, 2].map((number) => startWriter(sessions, `${key}-writer-${number}`));
    return async () => {
      for (const writer of writers) await writer.more();
      for (const writer of writers) await writer.stop();
      return (await Promise.all(asking.map((end) => end()))).flat();
    };
  }

  it('has the pods of each component on both, also after a rollout', async () => {
    await spread();
    for (const component of SEVERAL)
      expect(await placesOf(component), component).to.have.members([office.cluster.node, office.cluster.secondNode]);
  });

  for (const which of ['second', 'first'] as const) {
    const whose = which === 'first' ? "the editor's" : 'one without the editor';
    it(`a drain of ${whose} fails no request and loses no save`, async () => {
      const node = which === 'first' ? office.cluster.node : office.cluster.secondNode;
      expect(await placesOf('editor')).to.deep.equal([office.cluster.node]);
      const end = await startLoad(which);
      const people = await Promise.all(
        PEOPLE.map(async (name) => {
          const session = await apart.sessions.create({ key: `${which}-${name}` });
          return { session, client: await apart.sessions.open(session) };
        }),
      );
      const drained = nodes.drain(node);
      // A front stays for as long as somebody has a document open through it.
      await until(
        'all others have left',
        async () => {
          const left = (await all()).filter(({ spec }) => spec.nodeName === node);
          return left.every(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === 'front');
        },
        300_000,
      );
      if (which === 'second') {
        for (const { session, client } of people) {
          await client.addLine('vẫn mở');
          await apart.sessions.save(session, client);
        }
      }
      for (const { client } of people) await client.leave();
      const failed = await end();
      await drained;
      await apart.ready();
      const told = which === 'first' ? await saysWhatItMisses() : undefined;
      await nodes.uncordon(node);
      await office.ready();
      expect(failed).to.deep.equal([]);
      if (which === 'first') expect(told).to.match(/^(?:Unschedulable|VolumePending): /);
    });
  }

  /** The instance with volumes that are on one node cannot follow. */
  const saysWhatItMisses = () =>
    until(
      'the office is not Ready',
      async () => {
        const { status, reason, message } = (await office.condition('Ready')) ?? {};
        return status === 'False' && reason !== 'Progressing' && reason !== 'NodeLost'
          ? `${reason}: ${message}`
          : undefined;
      },
      60_000,
    );
});
