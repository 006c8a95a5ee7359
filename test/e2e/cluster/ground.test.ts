import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { portOf } from '../../support/listen.ts';
import { until } from '../../support/until.ts';
import { type Cluster, clusterMissing } from './cluster.ts';
import { sharedGround } from './ground.ts';
import type { Images } from './images/build.ts';
import { gateAndClient } from './support/pods.ts';

/** Of the first time, when all is built. */
const COLD_MS = 25 * 60_000;

describe('the cluster of tests', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let images: Images;
  const namespace = `ground-${process.pid}`;
  const kubectl = (...parameters: string[]) => cluster.kubectl(['--namespace', namespace, ...parameters]);
  const get = async (...what: string[]) => JSON.parse(await kubectl('get', ...what, '-o', 'json'));
  /** Stdout of a program that the second pod runs. */
  const inPod = (program: string) => kubectl('exec', 'client', '--', 'node', '-e', program);

  before(async function () {
    this.timeout(COLD_MS);
    if (clusterMissing()) this.skip();
    ({ cluster, images } = await sharedGround());
    await cluster.kubectl(['create', 'namespace', namespace]);
    await kubectl('wait', '--for=create', 'serviceaccount/default', '--timeout=60s');
    await cluster.kubectl(['apply', '--namespace', namespace, '-f', '-'], JSON.stringify(gateAndClient(images.gate)));
    await kubectl('wait', 'pod/gate', 'pod/client', '--for=condition=Ready', '--timeout=60s');
  });

  after(async () => {
    await cluster?.kubectl(['delete', 'namespace', namespace, '--wait=false']);
  });

  it('has one node, which is ready and has all images', async () => {
    const { items } = await get('nodes');
    const [{ status }] = items;
    expect(items).to.have.lengthOf(1);
    expect(find(status.conditions, 'Ready')).to.deep.include({ status: 'True' });
    await until('the node names all images', async () => {
      const [node] = (await get('nodes')).items;
      const names = node.status.images.flatMap((image: { names: string[] }) => image.names);
      return Object.values(images).every((image) => names.includes(image)) || undefined;
    });
  });

  it('runs the gate as an unprivileged pod, which answers to this machine', async () => {
    const [{ nodePort }] = (await get('service', 'gate')).spec.ports;
    // The way to a pod is laid a moment after the pod has said that it is ready.
    const status = await until('an answer', () => statusOf(`http://${cluster.nodeAddress}:${nodePort}/svc/healthz`));
    expect(status).to.equal(200);
  });

  for (const name of ['gate', `gate.${namespace}.svc.cluster.local`]) {
    it(`has other pods find it as ${name.replace(namespace, '<namespace>')}`, async () => {
      const url = `http://${name}:8080/svc/healthz`;
      const ask = `fetch('${url}').then(({ status }) => console.log(status), () => {})`;
      const answer = await until('an answer', async () => (await inPod(ask)) || undefined);
      expect(answer).to.equal('200\n');
    });
  }

  it('says of a name that does not exist that it does not exist', async () => {
    const lookup = `require('node:dns').lookup('nobody.example', (error) => console.log(error.code))`;
    expect(await inPod(lookup)).to.equal('ENOTFOUND\n');
  });

  it('lets pods find this machine', async () => {
    const server = createServer((_, response) => void response.end('here'));
    server.listen(0, cluster.hostAddress);
    try {
      const url = `http://${cluster.hostAddress}:${await portOf(server)}`;
      expect(await inPod(`fetch('${url}').then((answer) => answer.text()).then(console.log)`)).to.equal('here\n');
    } finally {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  it('gives a claim a volume that the pod may write to', async () => {
    const { status } = await get('pvc', 'gate');
    expect(status.phase).to.equal('Bound');
    const write = "require('node:fs').writeFileSync('/var/lib/svc/gate/written', 'x')";
    await kubectl('exec', 'gate', '--', 'node', '-e', write);
  });
});

function find(conditions: readonly { type: string }[], type: string): object | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** Undefined while nobody answers. */
function statusOf(url: string): Promise<number | undefined> {
  return fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );
}
