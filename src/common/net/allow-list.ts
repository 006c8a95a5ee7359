import { domainToASCII } from 'node:url';
import { parseList } from '../config.ts';
import { type Address, inNetwork, isMetadata, type Network, parseAddress, parseNetwork } from './address.ts';

interface Entry<T> {
  readonly target: T;
  /** Undefined: any port. */
  readonly port: number | undefined;
}

/** Targets that outbound requests may reach although they are internal (contract: Outbound URL rules). */
export interface AllowList {
  readonly names: readonly Entry<string>[];
  readonly networks: readonly Entry<Network>[];
}

/**
 * Reads `SVC_FETCH_ALLOW_HOSTS`: host names, IP addresses and CIDRs, separated by commas, each with an optional
 * `:port` (an IPv6 one then in brackets, `[fd00::/8]:8443`).
 * @returns the list of all good items, and one sentence for each bad one
 */
export function parseAllowList(text: string): { list: AllowList; mistakes: string[] } {
  const names: Entry<string>[] = [];
  const networks: Entry<Network>[] = [];
  const mistakes: string[] = [];
  for (const item of parseList(text)) {
    try {
      const { host, port } = splitPort(item);
      const network = parseNetwork(host);
      if (network) networks.push({ target: network, port });
      else names.push({ target: parseName(host), port });
    } catch (error) {
      mistakes.push(`${item}: ${(error as Error).message}`);
    }
  }
  return { list: { names, networks }, mistakes };
}

/**
 * Returns whether a host name is listed, so that the addresses it resolves to need not be public.
 * @param name lower case, in ASCII, without a trailing dot
 */
export function allowsName(list: AllowList, name: string, port: number): boolean {
  return list.names.some((entry) => entry.target === name && opensPort(entry, port));
}

/**
 * Returns whether an address is listed. One of a cloud's metadata services has to be listed by itself, not by a range.
 * @param beyond bits of the prefix that an entry has to be narrower than
 */
export function allowsAddress(list: AllowList, address: Address, port: number, beyond = -1): boolean {
  return list.networks.some(
    (entry) =>
      opensPort(entry, port) &&
      inNetwork(address, entry.target) &&
      entry.target[1] > beyond &&
      (!isMetadata(address) || isSingle(entry.target)),
  );
}

function opensPort(entry: Entry<unknown>, port: number): boolean {
  return entry.port === undefined || entry.port === port;
}

function isSingle([address, bits]: Network): boolean {
  return bits === (address.kind() === 'ipv4' ? 32 : 128);
}

function splitPort(item: string): { host: string; port: number | undefined } {
  // More than one colon without brackets is an IPv6 address: its last group is no port.
  if (item.split(':').length > 2 && !item.startsWith('[')) return { host: item, port: undefined };
  const parts = /^(?:\[(?<bracketed>[^[\]]+)\](?<prefix>\/\d+)?|(?<plain>[^[\]:]+))(?::(?<port>\d{1,5}))?$/.exec(item);
  if (!parts?.groups) throw new Error('is not a host name, address or CIDR with an optional :port');
  const { bracketed, prefix = '', plain, port } = parts.groups;
  if (bracketed !== undefined && !bracketed.includes(':')) throw new Error('has brackets around what is not IPv6');
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65535)) throw new Error('has a port out of range');
  return { host: plain ?? `${bracketed}${prefix}`, port: port === undefined ? undefined : Number(port) };
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

function parseName(host: string): string {
  // The parser of URLs would decode or cut at these instead of refusing them.
  const name = /[\s\\?#@%]/.test(host) ? '' : domainToASCII(host).replace(/\.$/, '');
  if (parseAddress(name)) throw new Error(`is an odd spelling of ${name}`);
  if (name.length > 253 || !name.split('.').every((label) => LABEL.test(label))) throw new Error('is not a host name');
  return name;
}
