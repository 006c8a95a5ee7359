import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IP address; an IPv4-mapped IPv6 address is the IPv4 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The first address of a network and its prefix length in bits (RFC 4632, RFC 4291 section 2.3). */
export type Network = readonly [Address, number];

/** Global unicast (RFC 4291 section 2.4), all public addresses of IPv6. */
const GLOBAL_UNICAST: Network = [ipaddr.IPv6.parse('2000::'), 3];

/** Metadata services of clouds. Not all are in a special-purpose range, and no listed name or range opens them. */
const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254', // AWS, Google, Azure and most others
  'fd00:ec2::254', // AWS
  '169.254.170.2', // AWS ECS task credentials
  '169.254.170.23', // AWS EKS pod identity
  'fd00:ec2::23', // AWS EKS pod identity
  'fd20:ce::254', // Google
  '168.63.129.16', // Azure's wire server, inside public space
  '100.100.100.200', // Alibaba
]);

/** Parses an address; undefined for other texts and for a scoped address (`fe80::1%eth0`). */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.process(text);
}

/**
 * Returns whether an address is public: unicast, in no block of IANA's special-purpose registries (RFC 6890 and its
 * successors), and no metadata service. 2000::/3 excludes all forms that embed an IPv4 address.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || isMetadata(address)) return false;
  return address.kind() === 'ipv4' || inNetwork(address, GLOBAL_UNICAST);
}

/** Returns whether a cloud's metadata service has an address. */
export function isMetadata(address: Address): boolean {
  return METADATA.has(address.toString());
}

export function inNetwork(address: Address, network: Network): boolean {
  return address.kind() === network[0].kind() && address.match([...network]);
}

/** Parses an address or a CIDR; undefined for a text that looks like neither. @throws {Error} for a malformed one */
export function parseNetwork(host: string): Network | undefined {
  const [first = '', prefix, ...rest] = host.split('/');
  const address = parseAddress(first);
  if (!address) {
    if (host.includes('/') || host.includes(':')) throw new Error('is not an IP address or CIDR');
    return undefined;
  }
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return [address, bits];
  // `::ffff:10.0.0.0/104` is the network 10.0.0.0/8.
  const length = Number(prefix) - (bits === 32 && first.includes(':') ? 96 : 0);
  if (rest.length > 0 || !/^\d{1,3}$/.test(prefix) || length < 0 || length > bits) throw new Error('has a bad prefix');
  const network = firstAddress(address, length);
  if (network.toString() !== address.toString()) {
    throw new Error(`has bits set after its prefix; write ${network}/${length} or ${address}`);
  }
  return [address, length];
}

function firstAddress(address: Address, length: number): Address {
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${address}/${length}`);
}
