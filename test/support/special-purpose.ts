/**
 * IANA's special-purpose address registries (RFC 6890 and later), multicast, and single addresses of clouds. Whether a
 * block is "globally reachable" makes no difference here: none of them serves documents.
 */
export const SPECIAL_PURPOSE_V4: readonly (readonly [network: string, name: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private use'],
  ['100.64.0.0/10', 'shared address space, Alibaba metadata'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link local, metadata'],
  ['172.16.0.0/12', 'private use'],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.2.0/24', 'TEST-NET-1'],
  ['192.31.196.0/24', 'AS112-v4'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', 'deprecated 6to4 relay'],
  ['192.168.0.0/16', 'private use'],
  ['192.175.48.0/24', 'direct delegation AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'TEST-NET-2'],
  ['203.0.113.0/24', 'TEST-NET-3'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved, limited broadcast'],
  ['168.63.129.16/32', 'Azure wire server'],
];

export const SPECIAL_PURPOSE_V6: readonly (readonly [network: string, name: string])[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'local NAT64'],
  ['100::/64', 'discard only'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/23', 'IETF protocol assignments, Teredo, benchmarking, ORCHID'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'direct delegation AS112'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local, metadata'],
  ['fe80::/10', 'link local'],
  ['fec0::/10', 'deprecated site local'],
  ['ff00::/8', 'multicast'],
];

/** A network as its first and last address. */
export interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** Reads a CIDR of the tables above, on purpose without any library. */
export function rangeOf(cidr: string): Range {
  const [address = '', prefix] = cidr.split('/');
  const [bits, first] = address.includes(':') ? [128, valueOf6(address)] : [32, valueOf4(address)];
  return { first, last: first | ((1n << BigInt(bits - Number(prefix))) - 1n) };
}

export function inRange(value: bigint, { first, last }: Range): boolean {
  return value >= first && value <= last;
}

export function format4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

export function format6(value: bigint): string {
  return Array.from({ length: 8 }, (_, group) => ((value >> BigInt(112 - 16 * group)) & 0xffffn).toString(16)).join(
    ':',
  );
}

function valueOf4(text: string): bigint {
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

function valueOf6(text: string): bigint {
  const [head = [], tail = []] = text.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
