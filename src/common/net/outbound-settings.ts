import { type Address, inNetwork, type Network, parseNetwork } from './address.ts';
import { type AllowList, type ParsedItems, parseAllowList, parseItems } from './allow-list.ts';
import { parseProxy } from './proxy.ts';

/** Networks that count as internal. */
export type DenyList = readonly Network[];

/** Settings of outbound requests. */
export interface OutboundSettings {
  readonly allow: AllowList;
  readonly deny: DenyList;
  /** Proxy to destinations that `allow` does not list. */
  readonly proxy: URL | undefined;
}

type Name = 'SVC_FETCH_ALLOW_HOSTS' | 'SVC_FETCH_DENY' | 'SVC_FETCH_PROXY';

/** Reads the variables of gate and DocBuilder. */
export function readOutbound(
  env: Readonly<Record<Name, string>>,
  blame: (variable: Name, messages: readonly string[]) => void,
): OutboundSettings {
  const allow = parseAllowList(env.SVC_FETCH_ALLOW_HOSTS);
  const deny = parseDenyList(env.SVC_FETCH_DENY);
  const { proxy, mistakes } = parseProxy(env.SVC_FETCH_PROXY);
  blame('SVC_FETCH_ALLOW_HOSTS', allow.mistakes);
  blame('SVC_FETCH_DENY', deny.mistakes);
  blame('SVC_FETCH_PROXY', mistakes);
  return { allow: allow.list, deny: deny.list, proxy };
}

/** Parses `SVC_FETCH_DENY`, a comma-separated list of IP addresses and CIDRs. */
export function parseDenyList(text: string): ParsedItems<Network> {
  return parseItems(text, (item) => {
    const network = parseNetwork(item);
    if (!network) throw new Error('is not an IP address or CIDR');
    return network;
  });
}

/** Returns the longest listed prefix of an address, in bits; undefined when it is in none. */
export function deniedPrefixLength(list: DenyList, address: Address): number | undefined {
  const bits = list.filter((network) => inNetwork(address, network)).map(([, length]) => length);
  return bits.length === 0 ? undefined : Math.max(...bits);
}
