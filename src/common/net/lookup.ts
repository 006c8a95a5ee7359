import { Resolver, lookup as systemLookup } from 'node:dns/promises';

/**
 * Resolves a host name to all of its addresses; rejects when it has none.
 * @param listed whether the operator has listed the name
 */
export type Lookup = (name: string, listed: boolean) => Promise<readonly { address: string }[]>;

/** Milliseconds until a name server is asked once more, which then gets twice as long. */
const TRY_MS = 700;
const TRIES = 2;

/**
 * Listed names, and those of one label, are the system's: it knows /etc/hosts and the cluster's search domains. All others
 * are asked of DNS itself. The system's way takes a thread until it has an answer, and there are two: names
 * whose servers keep silent, which anybody can own, would hold up every download and callback.
 * @param servers name servers instead of the system's
 */
export function createLookup(servers?: readonly string[]): Lookup {
  return (name, listed) => (listed || !name.includes('.') ? systemLookup(name, { all: true }) : ask(name, servers));
}

async function ask(name: string, servers?: readonly string[]): Promise<{ address: string }[]> {
  // A new one each time, since it reads the system's settings when it is made.
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
  return addresses.map((address) => ({ address }));
}
