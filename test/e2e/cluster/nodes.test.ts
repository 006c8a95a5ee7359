import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Balancer, startBalancer } from '../../support/balancer.ts';
import { form } from '../../support/service.ts';
import { download, readLines } from '../../support/stack-steps.ts';
import { until } from '../../support/until.ts';
import { type TwoNodes, useTwoNodes } from './nodes-ground.ts';
import type { Pod } from './support/instance.ts';
import { type Office, officeFor } from './support/office.ts';
import { type SharedInstance, startSharedInstance } from './support/shared-instance.ts';
import { startWriter } from './support/writer.ts';

const NODE_PORT = 30082;
const SEVERAL = ['gate', 'docbuilder', 'front'];
const PEOPLE = ['an', 'binh', 'chi', 'dung'];

const letter = () => form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf' });

/** How soon after the loss of a node the others answer every new request, and people edit again. */
const [SERVES_MS, EDITS_MS] = [5_000, 90_000];
/** Kubernetes calls a node lost after 40 to 55 s. */
const LOST_MS = 35_000;
/** How long one waits for an answer. A request that was sent to a lost pod over a kept connection has none for minutes. */
const ANSWER_MS = 10_000;
const BETWEEN_PEOPLE_MS = 3_000;

/** The pods of the instance are on two nodes; nothing that it keeps is on either. */
describe('on a cluster: two nodes', function () {
  this.timeout(600_000);
  let office: Office;
  let edge: Balancer;
  let nodes: TwoNodes;
  let apart: SharedInstance;

  before(async function () {
    office = await officeFor(this);
    const { cluster } = office;
    nodes = await useTwoNodes(cluster, office.images);
    // An edge gives up a node that does not connect within a second.
    edge = await startBalancer({ rotates: false, connectMs: 1_000 });
    for (const address of nodes.addresses) edge.add(NODE_PORT, address);
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
    await edge?.close();
    await nodes?.end();
    await office?.release.ready();
    await office?.ready();
  });

  const readPlaces = async (component: string) =>
    (await apart.pods(component)).map(({ spec }) => spec.nodeName ?? 'nowhere');
  const all = async (): Promise<Pod[]> =>
    (await apart.get<{ items: Pod[] }>('pods', '-l', 'app.kubernetes.io/instance=apart')).items;

  async function spread(): Promise<void> {
    for (const component of SEVERAL) await apart.kubectl('rollout', 'restart', `deployment/apart-${component}`);
    for (const component of SEVERAL)
      await apart.kubectl('rollout', 'status', `deployment/apart-${component}`, '--timeout=200s');
    await apart.ready();
  }

  /** Sends requests of all kinds until it is stopped; returns failures and losses. */
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
      expect(await readPlaces(component), component).to.have.members([office.cluster.node, office.cluster.secondNode]);
  });

  for (const which of ['second', 'first'] as const) {
    const whose = which === 'first' ? "the editor's" : 'one without the editor';
    it(`a drain of ${whose} fails no request and loses no save`, async () => {
      const node = which === 'first' ? office.cluster.node : office.cluster.secondNode;
      // It is elsewhere when this is run again.
      if (!(await readPlaces('editor')).includes(office.cluster.node)) {
        await moveEditor(office.cluster.node);
        await spread();
      }
      expect(await readPlaces('editor')).to.deep.equal([office.cluster.node]);
      const end = await startLoad(which);
      const people = await Promise.all(
        PEOPLE.map(async (name) => {
          const session = await apart.sessions.create({ key: `${which}-${name}` });
          return { session, client: await apart.sessions.open(session) };
        }),
      );
      const drained = nodes.drain(node);
      // A front stays for as long as a document is open through it.
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
      const reported = which === 'first' ? await saysWhatItMisses() : undefined;
      await nodes.uncordon(node);
      await office.ready();
      expect(failed).to.deep.equal([]);
      if (which === 'first') expect(reported).to.match(/^(?:Unschedulable|VolumePending): /);
    });
  }

  it('the loss of one: within 5 s the others answer as before, people edit again, and nothing is there twice', async () => {
    const lost = office.cluster.secondNode;
    await moveEditor(lost);
    await spread();
    await nodes.partNameServers();
    // An edge that knows pods sends a node's traffic to its own front. By default Kubernetes sends half to the other's.
    await apart.kubectl('patch', 'service', 'apart-front', '--patch', '{"spec":{"externalTrafficPolicy":"Local"}}');
    const { sessions } = apart;
    const session = await sessions.create({ key: 'lost' });
    const client = await sessions.open(session);
    await client.addLine('đã lưu');
    await sessions.save(session, client);

    const { killed, edited, lines, failed } = await loseNode(lost);
    expect(lines).to.include.members(['đã lưu', 'lại']);
    const since = (line: string) => Date.parse(line.slice(0, 24)) - killed;
    expect(failed.filter((line) => since(line) > SERVES_MS && since(line) < LOST_MS)).to.deep.equal([]);
    // One that connects to a lost pod while its address is taken away fails: nginx asks no other then.
    expect(failed.filter((line) => since(line) >= LOST_MS)).to.have.length.at.most(4);
    process.stderr.write(`      people edit again after ${Math.round(edited / 1000)} s\n`);
    expect(edited).to.be.below(EDITS_MS);
    await apart.ready();
    await until('nothing is there twice', async () => (await all()).length === 7, 120_000);
  });

  /** Asks for all of it from the moment of the loss until people edit again; then the node comes back. */
  async function loseNode(lost: string) {
    await nodes.kill(lost);
    const killed = Date.now();
    try {
      const asked = { pauseMs: 200, withinMs: ANSWER_MS };
      const asking = [
        apart.ask(asked),
        apart.ask({ ...asked, path: '/v1/status' }),
        // The gate is asked about it, and refuses. Without the gate the editor would be asked.
        apart.ask({ ...asked, path: '/browser/0/cool.html', status: 400 }),
        apart.ask({ ...asked, path: '/v1/convert', pauseMs: 700, body: letter }),
      ];
      const lines = await peopleEditAgain();
      const edited = Date.now() - killed;
      const failed = (await Promise.all(asking.map((end) => end()))).flat();
      return { killed, edited, lines, failed };
    } finally {
      await nodes.start(lost);
    }
  }

  /** One person after the other tries: who meets the lost pod has no answer for long. Lines that the first one finds. */
  async function peopleEditAgain(): Promise<string[]> {
    let found: string[] | undefined;
    const oneMoreTries = async () => {
      editedAgain('lost').then(
        (lines) => {
          found ??= lines;
        },
        () => undefined,
      );
      await delay(BETWEEN_PEOPLE_MS);
      return found;
    };
    return await until('people edit again', oneMoreTries, 2 * EDITS_MS);
  }

  async function moveEditor(to: string): Promise<void> {
    const { node, secondNode } = office.cluster;
    const other = to === node ? secondNode : node;
    await nodes.cordon(other);
    await apart.kubectl('rollout', 'restart', 'deployment/apart-editor');
    await apart.kubectl('rollout', 'status', 'deployment/apart-editor', '--timeout=200s');
    await nodes.uncordon(other);
    await apart.ready();
  }

  /** Opens the document, writes and saves. Returns its lines. */
  async function editedAgain(key: string): Promise<string[]> {
    const { sessions } = apart;
    const session = await sessions.create({ key });
    const client = await sessions.open(session);
    await client.addLine('lại');
    await sessions.save(session, client);
    const { download_url } = await sessions.state(session);
    await client.leave();
    return readLines(await download(download_url));
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
