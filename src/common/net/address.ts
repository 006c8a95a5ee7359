import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IP address. What matters is its value, not its spelling; an IPv4-mapped IPv6 address is the IPv4 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * A network: the first address and the length of its prefix in bits (RFC 4632, RFC 4291 section 2.3).
 */
export type Network = readonly [Address, number];

/** Global unicast (RFC 4291 section 2.4): all of IPv6 that is handed out on the public Internet lies in here. */
const GLOBAL_UNICAST: Network = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Addresses at which clouds give anybody the machine's own credentials or settings. Not all are in a special-purpose
 * range, and no name or wide range in the allow list opens them by accident.
 */
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

/** Reads an address as `net.isIP` knows it; undefined for anything else and for a scoped one (`fe80::1%eth0`). */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.process(text);
}

/**
 * Returns whether an address is one of the public Internet: unicast, in none of the blocks of IANA's special-purpose
 * registries (RFC 6890 and its successors; the few of them that are globally reachable serve no documents), and no
 * cloud's metadata service. IPv6 only inside 2000::/3, which leaves out every form that embeds an IPv4 address.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || isMetadata(address)) return false;
  return address.kind() === 'ipv4' || inNetwork(address, GLOBAL_UNICAST);
}

/** Returns whether a cloud's metadata service lives at an address. */
export function isMetadata(address: Address): boolean {
  return METADATA.has(address.toString());
}

/** Returns whether an address lies in a network; never when they are of different families. */
export function inNetwork(address: Address, network: Network): boolean {
  return address.kind() === network[0].kind() && address.match([...network]);
}

/**
 * An address or a CIDR as a network; undefined when the text is neither by its look.
 * @throws {Error} saying what is wrong with one that looks so
 */
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
