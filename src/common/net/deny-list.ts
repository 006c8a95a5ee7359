import { parseList } from '../config.ts';
import { type Address, inNetwork, type Network, parseNetwork } from './address.ts';

/** Networks that count as internal although their addresses are public. */
export type DenyList = readonly Network[];

/**
 * Reads `SVC_FETCH_DENY`: IP addresses and CIDRs, separated by commas.
 * @returns the list of all good items, and one sentence for each bad one
 */
export function parseDenyList(text: string): { list: DenyList; mistakes: string[] } {
  const list: Network[] = [];
  const mistakes: string[] = [];
  for (const item of parseList(text)) {
    try {
      const network = parseNetwork(item);
      if (network) list.push(network);
      else mistakes.push(`${item}: is not an IP address or CIDR`);
    } catch (error) {
      mistakes.push(`${item}: ${(error as Error).message}`);
    }
  }
  return { list, mistakes };
}

/** Bits of the narrowest listed prefix that an address has; undefined when it is in none. */
export function deniedBits(list: DenyList, address: Address): number | undefined {
  const bits = list.filter((network) => inNetwork(address, network)).map(([, length]) => length);
  return bits.length === 0 ? undefined : Math.max(...bits);
}
