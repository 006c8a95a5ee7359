import { domainToASCII } from 'node:url';
import { parseList } from '../config.ts';
import { type Address, inNetwork, isMetadata, type Network, parseAddress, parseNetwork } from './address.ts';

interface Entry {
  readonly target: string | Network;
  /** Undefined: any port. */
  readonly port: number | undefined;
}

/** Internal destinations that outbound requests may have (contract: Outbound URL rules). */
export type AllowList = readonly Entry[];

export interface ParsedItems<Item> {
  list: Item[];
  mistakes: string[];
}

/** Parses a comma-separated list. @param parse throws the mistake of an item */
export function parseItems<Item>(text: string, parse: (item: string) => Item): ParsedItems<Item> {
  const list: Item[] = [];
  const mistakes: string[] = [];
  for (const item of parseList(text)) {
    try {
      list.push(parse(item));
    } catch (error) {
      mistakes.push(`${item}: ${(error as Error).message}`);
    }
  }
  return { list, mistakes };
}

/**
 * Parses `SVC_FETCH_ALLOW_HOSTS`: host names, IP addresses and CIDRs, each with an optional `:port` (IPv6 in brackets,
 * `[fd00::/8]:8443`).
 */
export function parseAllowList(text: string): ParsedItems<Entry> {
  return parseItems(text, (item) => {
    const { host, port } = splitPort(item);
    return { target: parseNetwork(host) ?? parseName(host), port };
  });
}

/**
 * Returns whether a host name is listed; its addresses need not be public.
 * @param name lower case, in ASCII, without a trailing dot
 */
export function allowsName(list: AllowList, name: string, port: number): boolean {
  return list.some((entry) => entry.target === name && (entry.port === undefined || entry.port === port));
}

/**
 * Returns whether an address is listed; a metadata service only by itself, not by a range.
 * @param beyond prefix length that an entry has to exceed
 */
export function allowsAddress(list: AllowList, address: Address, port: number, beyond = -1): boolean {
  return list.some(
    ({ target, port: only }) =>
      typeof target !== 'string' &&
      (only === undefined || only === port) &&
      inNetwork(address, target) &&
      target[1] > beyond &&
      (!isMetadata(address) || isSingle(target)),
  );
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
