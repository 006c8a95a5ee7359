import { type Address, isMetadata, isPublic, parseAddress } from './address.ts';
import { type AllowList, allowsAddress, allowsName } from './allow-list.ts';
import { startDeadline, unlessAborted } from './deadline.ts';
import { type DenyList, deniedBits } from './deny-list.ts';
import { fetchFailed, notAllowed, toFetchError } from './failure.ts';
import type { Lookup } from './lookup.ts';

/** A URL that was checked, and the only addresses that a connection for it may go to. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly [Address, ...Address[]];
  /** The operator has listed it: it is one of his own, to which no proxy leads. */
  readonly listed: boolean;
}

/** Milliseconds for resolving one name. */
const LOOKUP_TIMEOUT = 2000;

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
  return { url, addresses, listed: listed || addresses.some(isListed) };
}

/** The port that a URL leads to, also when it is the default one of its scheme. */
export function getPort(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}

async function resolve(
  name: string,
  lookup: (name: string) => ReturnType<Lookup>,
  outer?: AbortSignal,
): Promise<Address[]> {
  const { signal, end } = startDeadline(LOOKUP_TIMEOUT, () => fetchFailed('timeout'), outer);
  try {
    const found = await unlessAborted(lookup(name), signal);
    return found.map(({ address }) => {
      const parsed = parseAddress(address);
      // A scoped address (fe80::1%eth0) belongs to a link, not to the public.
      if (!parsed) throw notAllowed('address');
      return parsed;
    });
  } catch (error) {
    throw toFetchError(error, signal);
  } finally {
    end();
  }
}
