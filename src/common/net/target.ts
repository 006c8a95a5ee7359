import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { type Address, isMetadata, isPublic, parseAddress } from './address.ts';
import { type AllowList, allowsAddress, allowsName } from './allow-list.ts';
import { unlessAborted, withDeadline } from './deadline.ts';
import { fetchFailed, notAllowed, toFetchError } from './failure.ts';
import { type DenyList, deniedBits } from './outbound-settings.ts';

/** A URL that was checked, and the only addresses that a connection for it may go to. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly [Address, ...Address[]];
  /** The operator has listed it: it is one of his own, to which no proxy leads. */
  readonly listed: boolean;
}

/**
 * Resolves a host name to all of its addresses; rejects when it has none.
 * @param listed whether the operator has listed the name
 */
export type Lookup = (name: string, listed: boolean) => Promise<readonly { address: string }[]>;

/** Milliseconds for resolving one name. */
const LOOKUP_TIMEOUT = 2000;
/** Milliseconds until a name server is asked once more, which then gets twice as long. */
const TRY_MS = 700;
const TRIES = 2;

/**
 * Reads a URL and checks what can be known without asking anybody: http or https, no credentials, a sound host.
 * Every decision is taken on the parsed URL (WHATWG), never on its text. Any port is fine: a public service may listen
 * anywhere, and internal ones are recognized by their address.
 * @param base what a relative `text` is relative to
 * @throws {AppError} url_not_allowed
 */
export function parseTarget(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url) throw notAllowed('url');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notAllowed('scheme');
  if (url.username !== '' || url.password !== '') throw notAllowed('credentials');
  if (url.port === '0') throw notAllowed('port');
  // With or without its trailing dot, a name is the same name to the allow list, to TLS and to most servers.
  url.hostname = url.hostname.replace(/\.$/, '');
  const name = url.hostname;
  if (name.length > 253 || name.split('.').includes('')) throw notAllowed('host');
  return url;
}

/**
 * Resolves the host of a parsed URL, once, and checks every address: one that is neither public nor listed refuses the
 * URL as a whole (contract: Outbound URL rules). What the operator denies is not public; the allow list opens it by a
 * name, or by an address or range that is narrower than the denied one.
 * @throws {AppError} url_not_allowed; download_failed when the name does not resolve
 */
export async function resolveTarget(
  url: URL,
  options: { allow: AllowList; deny: DenyList; lookup: Lookup },
  signal?: AbortSignal,
): Promise<Target> {
  signal?.throwIfAborted();
  const port = getPort(url);
  const literal = parseAddress(url.hostname.replace(/^\[|\]$/g, ''));
  const listed = allowsName(options.allow, url.hostname, port);
  const lookup = (name: string) => options.lookup(name, listed);
  const [first, ...others] = literal ? [literal] : await resolve(url.hostname, lookup, signal);
  if (!first) throw fetchFailed('network');
  const mayReach = (address: Address): boolean => {
    if (listed && !isMetadata(address)) return true;
    const denied = deniedBits(options.deny, address);
    if (denied === undefined && isPublic(address)) return true;
    return allowsAddress(options.allow, address, port, denied);
  };
  const addresses = [first, ...others] as const;
  if (!addresses.every(mayReach)) throw notAllowed('address');
  const isListed = (address: Address): boolean =>
    allowsAddress(options.allow, address, port, deniedBits(options.deny, address));
  return { url, addresses, listed: listed || addresses.every(isListed) };
}

/** The port that a URL leads to, also when it is the default one of its scheme. */
export function getPort(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}

function resolve(name: string, lookup: (name: string) => ReturnType<Lookup>, outer?: AbortSignal): Promise<Address[]> {
  return withDeadline(
    LOOKUP_TIMEOUT,
    () => fetchFailed('timeout'),
    outer,
    async (signal) => {
      const found = await unlessAborted(lookup(name), signal).catch((error: unknown) => {
        throw toFetchError(error, signal);
      });
      return found.map(({ address }) => {
        const parsed = parseAddress(address);
        // A scoped address (fe80::1%eth0) belongs to a link, not to the public.
        if (!parsed) throw notAllowed('address');
        return parsed;
      });
    },
  );
}

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
