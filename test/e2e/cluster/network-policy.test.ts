import { expect } from 'chai';
import { COMPONENTS } from '../../../cmd/controller/desired/names.ts';
import { startCanary } from '../../support/canary.ts';
import { EDGE, INSIDE, publicPairs, TRIED_PORTS } from '../../support/network-pairs.ts';
import { hasEngine } from './engine.ts';
import { METADATA, METADATA_ADDRESSES, startMetadataServices } from './support/metadata-services.ts';
import { type Neighbours, startNeighbours } from './support/neighbours.ts';
import { type Office, officeFor } from './support/office.ts';
import { ask, type Party, type Target } from './support/probes.ts';
import { DNS, NODE, OTHERS_PORT, tried, UDP_PORT, UNKNOWN } from './support/tried.ts';

describe('on a cluster: network policies', function () {
  this.timeout(60_000);
  let office: Office;
  let neighbours: Neighbours;
  /** `<who> > <whom>:<port>/<protocol>` of all pairs that a packet came back from. */
  let found: string[];
  const between = (senders: readonly string[], targets: readonly string[], protocol: Target['protocol']) =>
    found
      .map((line) => /^(.+) > (.+:\d+)\/(\w+)$/.exec(line) as unknown as [string, string, string, string])
      .filter(([, from, to]) => senders.includes(from) && targets.includes(to.replace(/:\d+$/, '')))
      .filter(([, , , over]) => over === protocol)
      .map(([, from, to]) => `${from} > ${to}`);

  before(async function () {
    office = await officeFor(this);
    neighbours = await startNeighbours(office);
    found = await tried(neighbours, office.cluster.dnsAddress);
  });
  after(async () => {
    await neighbours?.end();
  });

  it('let through, of all pairs and ports, exactly those of the table', () => {
    const strangers = Object.keys(neighbours.strangers);
    const pairs = between([...COMPONENTS, ...strangers, UNKNOWN], COMPONENTS, 'tcp');
    expect(pairs).to.have.members([...INSIDE, ...EDGE, ...publicPairs(strangers)]);
  });

  it('let through all that comes from the node of a pod, such as probes', () => {
    const all = [...COMPONENTS, UNKNOWN].flatMap((name) => TRIED_PORTS.map((port) => `${NODE} > ${name}:${port}`));
    expect(between([NODE], [...COMPONENTS, UNKNOWN], 'tcp')).to.have.members(all);
    const udp = [...COMPONENTS, UNKNOWN].map((name) => `${NODE} > ${name}:${UDP_PORT}`);
    expect(between([NODE], [...COMPONENTS, UNKNOWN], 'udp')).to.have.members(udp);
  });

  it('let nothing through to the instance but TCP', () => {
    const everybody = [...COMPONENTS, ...Object.keys(neighbours.strangers), UNKNOWN];
    expect(between(everybody, COMPONENTS, 'udp')).to.deep.equal([]);
  });

  it('let gate and DocBuilder out to others, by TCP only, and nobody else of the instance', () => {
    const strangers = Object.keys(neighbours.strangers);
    const senders = ['gate', 'docbuilder'];
    const all = senders.flatMap((from) => strangers.map((to) => `${from} > ${to}:${OTHERS_PORT}`));
    expect(between([...COMPONENTS, UNKNOWN], strangers, 'tcp')).to.have.members(all);
    expect(between([...COMPONENTS, UNKNOWN], strangers, 'udp')).to.deep.equal([]);
    const among = strangers.flatMap((from) => strangers.filter((to) => to !== from).map((to) => `${from} > ${to}`));
    const over = (port: number) => among.map((pair) => `${pair}:${port}`);
    expect(between(strangers, strangers, 'tcp')).to.have.members(over(OTHERS_PORT));
    expect(between(strangers, strangers, 'udp')).to.have.members(over(UDP_PORT));
  });

  it('let nobody reach a pod of the instance that no component knows', () => {
    const everybody = [...COMPONENTS, ...Object.keys(neighbours.strangers)];
    expect(between(everybody, [UNKNOWN], 'tcp')).to.deep.equal([]);
    expect(between(everybody, [UNKNOWN], 'udp')).to.deep.equal([]);
  });

  it('let all components ask for names, and such a pod not', () => {
    for (const protocol of ['udp', 'tcp'] as const) {
      const asked = COMPONENTS.map((name) => `${name} > ${DNS}:53`);
      expect(between([...COMPONENTS, UNKNOWN], [DNS], protocol), protocol).to.have.members(asked);
    }
  });

  it('let gate and DocBuilder out of the cluster, and editor and front not', async () => {
    const { hostAddress: host } = office.cluster;
    const outside = await startCanary((_request, response) => void response.end('outside'), { host });
    try {
      const answers = COMPONENTS.map(async (name) => {
        const from = neighbours.components[name];
        return [name, await ask(from, `http://${host}:${outside.port}/`)] as const;
      });
      const expected = { gate: 'outside', docbuilder: 'outside', editor: undefined, front: undefined };
      expect(Object.fromEntries(await Promise.all(answers))).to.deep.equal(expected);
    } finally {
      await outside.close();
    }
  });

  it('let nobody of the instance ask a cloud for the secrets of the machine', async function () {
    if (hasEngine()) this.skip();
    const { components, strangers, node } = neighbours;
    const end = await startMetadataServices(node, office.images.gate);
    try {
      for (const address of METADATA_ADDRESSES) {
        const url = `http://${address}/`;
        expect(await ask(strangers['a stranger'] as Party, url), address).to.equal(METADATA);
        const answers = await Promise.all(Object.values(components).map((from) => ask(from, url)));
        expect(answers, address).to.deep.equal(COMPONENTS.map(() => undefined));
      }
    } finally {
      await end();
    }
  });
});
