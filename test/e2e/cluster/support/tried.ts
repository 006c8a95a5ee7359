import { TRIED_PORTS } from '../../../support/network-pairs.ts';
import type { Neighbours } from './neighbours.ts';
import { answering, type Party, type Target } from './probes.ts';

/** Names of those in a table who are neither component nor stranger. */
export const [NODE, DNS, UNKNOWN] = ['the node', 'DNS', 'a pod of no component'];
/** Tried at pods that are not the instance's, where nobody listens. */
export const OTHERS_PORT = 8443;
/** Tried over UDP, where nobody listens either. */
export const UDP_PORT = 8080;
/** Senders at a time: each tries all its targets at once. */
const SENDERS = 4;

/** Tries all pairs: `<who> > <whom>:<port>/<protocol>` of those that a packet came back from. */
export async function tried(neighbours: Neighbours, dnsAddress: string): Promise<string[]> {
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
      // What a pod sends to itself passes no network.
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
