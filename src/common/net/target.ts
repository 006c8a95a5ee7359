import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { type Address, isMetadata, isPublic, parseAddress } from './address.ts';
import { type AllowList, allowsAddress, allowsName } from './allow-list.ts';
import { unlessAborted, withDeadline } from './deadline.ts';
import { fetchFailed, notAllowed, toFetchError } from './failure.ts';
import { type DenyList, deniedPrefixLength } from './outbound-settings.ts';

/** A checked URL and the only addresses for its connection. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly [Address, ...Address[]];
  /** The operator has listed it; no proxy is used. */
  readonly listed: boolean;
}

/** Resolves a host name to all of its addresses. @param listed whether the operator has listed the name */
export type Lookup = (name: string, listed: boolean) => Promise<readonly { address: string }[]>;

/** Milliseconds for resolving one name. */
const LOOKUP_TIMEOUT = 2000;
/** Milliseconds until a name server is asked again, with twice the time. */
const TRY_MS = 700;
const TRIES = 2;

/**
 * Parses a URL (WHATWG) and checks what needs no lookup: http or https, no credentials, a valid host, any port.
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
 * Resolves the host of a URL once. Each address has to be public or listed (contract: Outbound URL rules). A denied
 * address is not public; the allow list opens it by name, or by an address or a narrower range.
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
    const denied = deniedPrefixLength(options.deny, address);
    if (denied === undefined && isPublic(address)) return true;
    return allowsAddress(options.allow, address, port, denied);
  };
  const addresses = [first, ...others] as const;
  if (!addresses.every(mayReach)) throw notAllowed('address');
  const isListed = (address: Address): boolean =>
    allowsAddress(options.allow, address, port, deniedPrefixLength(options.deny, address));
  return { url, addresses, listed: listed || addresses.every(isListed) };
}

/** Returns the port of a URL, also the default one. */
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
 * Creates a lookup. Listed names, and those of one label, are resolved by the system (/etc/hosts, the cluster's search
 * domains), others by DNS: the system's lookup holds one of two threads until it ends, and a name whose server keeps
 * silent would hold up all requests.
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
