import { expect } from 'chai';
import { COMPONENTS } from '../../../cmd/controller/desired/names.ts';
import { startCanary } from '../../support/canary.ts';
import { until } from '../../support/until.ts';
import { docker, hasEngine } from './engine.ts';
import { answering, ask, type Neighbours, type Party, startNeighbours, type Target } from './support/neighbours.ts';
import { type Office, officeFor } from './support/office.ts';

/** The table of docs/decisions/0011-controller.md, Network, as pairs: `<who> > <component>:<port>`, all of one instance. */
const INSIDE: readonly string[] = [
  'front > gate:8080',
  'front > gate:8081',
  'editor > gate:8081',
  'front > docbuilder:8080',
  'front > editor:9980',
  'gate > editor:9980',
];

/** With gating AuthUrl. */
const EDGE: readonly string[] = ['the edge > front:8081', 'the edge > front:8082'];

/** Ports of ours, and others that pods like to have. */
const TRIED_PORTS: readonly number[] = [80, 8080, 8081, 8082, 9980, 10_250];

/**
 * Pods that may reach outside may ask for a page, as from anywhere. An editor and a front may not.
 * @param strangers those who are no pods of the instance
 */
function publicPairs(strangers: readonly string[]): string[] {
  return [...strangers, 'gate', 'docbuilder'].map((name) => `${name} > front:8080`);
}

/** Names of those in a table who are neither component nor stranger. */
const [NODE, DNS, UNKNOWN] = ['the node', 'DNS', 'a pod of no component'];
/** Tried at pods that are not the instance's, where nobody listens. */
const OTHERS_PORT = 8443;
/** Tried over UDP, where nobody listens either. */
const UDP_PORT = 8080;
/** Senders at a time: each tries all its targets at once. */
const SENDERS = 4;
/** Where clouds tell a machine its own secrets: most of them, Alibaba's, Azure's. */
const METADATA_ADDRESSES = ['169.254.169.254', '100.100.100.200', '168.63.129.16'];
const METADATA = 'metadata';

const SERVER = `require('node:http').createServer((_, response) => response.end('${METADATA}')).listen(80)`;

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

/** Tries all pairs: `<who> > <whom>:<port>/<protocol>` of those that a packet came back from. */
async function tried(neighbours: Neighbours, dnsAddress: string): Promise<string[]> {
  const { components, strangers, unknown, node } = neighbours;
  const targets = [
    ...at({ ...components, [UNKNOWN]: unknown }, 'tcp', TRIED_PORTS),
    ...at({ ...components, ...strangers, [UNKNOWN]: unknown }, 'udp', [UDP_PORT]),
    ...at(strangers, 'tcp', [OTHERS_PORT]),
    ...at({ [DNS]: { ...node, ip: dnsAddress } }, 'tcp', [53]),
    ...at({ [DNS]: { ...node, ip: dnsAddress } }, 'udp', [53]),
  ];
  const senders = Object.entries({ ...components, ...strangers, [UNKNOWN]: unknown, [NODE]: node });
  const found: string[] = [];
  while (senders.length > 0) {
    const some = senders.splice(0, SENDERS).map(async ([name, from]) => {
      // A pod's traffic to itself passes no network.
      const others = targets.filter((target) => target.name !== name);
      return (await answering(from, others)).map((to) => `${name} > ${to.name}:${to.port}/${to.protocol}`);
    });
    found.push(...(await Promise.all(some)).flat());
  }
  return found;
}

function at(parties: Record<string, Party>, protocol: Target['protocol'], ports: readonly number[]) {
  return Object.entries(parties).flatMap(([name, { ip }]) => ports.map((port) => ({ name, protocol, ip, port })));
}

/**
 * Starts servers at the addresses of clouds' metadata services, each in a network of its own beside that of a node. Only on an engine of the
 * tests' own: a machine in a cloud needs the real ones.
 * @returns what ends them
 */
async function startMetadataServices(node: Party, image: string): Promise<() => Promise<void>> {
  await endMetadataServices(node);
  for (const [index, address] of METADATA_ADDRESSES.entries()) {
    const name = getName(index);
    await docker('network', 'create', '--subnet', address.replace(/\d+$/, '0/24'), name);
    await docker('network', 'connect', name, node.node);
    const place = ['--network', name, '--ip', address, '--name', name];
    await docker('run', '--detach', ...place, '--user=0', '--entrypoint=node', image, '-e', SERVER);
    await until(`${address} answers`, async () => (await ask(node, `http://${address}/`)) === METADATA);
  }
  return () => endMetadataServices(node);
}

/** Those of a run that was killed as well. */
async function endMetadataServices(node: Party): Promise<void> {
  for (const name of METADATA_ADDRESSES.map((_, index) => getName(index))) {
    await docker('rm', '--force', name).catch(() => undefined);
    await docker('network', 'disconnect', name, node.node).catch(() => undefined);
    await docker('network', 'rm', name).catch(() => undefined);
  }
}

/** Behind that of the cluster's own network in the order of the alphabet: the engine takes the first for the way out. */
function getName(index: number): string {
  return `svc-metadata-${index}`;
}
