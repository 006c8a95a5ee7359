/**
 * IANA's special-purpose address registries (RFC 6890 and later), multicast, and single addresses of clouds. Whether a
 * block is "globally reachable" makes no difference here: none of them serves documents.
 */
export const SPECIAL_PURPOSE: readonly (readonly [first: string, last: string])[] = [
  ['0.0.0.0', '0.255.255.255'], // this network
  ['10.0.0.0', '10.255.255.255'], // private use
  ['100.64.0.0', '100.127.255.255'], // shared address space, Alibaba metadata
  ['127.0.0.0', '127.255.255.255'], // loopback
  ['169.254.0.0', '169.254.255.255'], // link local, metadata
  ['172.16.0.0', '172.31.255.255'], // private use
  ['192.0.0.0', '192.0.0.255'], // IETF protocol assignments
  ['192.0.2.0', '192.0.2.255'], // TEST-NET-1
  ['192.31.196.0', '192.31.196.255'], // AS112-v4
  ['192.52.193.0', '192.52.193.255'], // AMT
  ['192.88.99.0', '192.88.99.255'], // deprecated 6to4 relay
  ['192.168.0.0', '192.168.255.255'], // private use
  ['192.175.48.0', '192.175.48.255'], // direct delegation AS112
  ['198.18.0.0', '198.19.255.255'], // benchmarking
  ['198.51.100.0', '198.51.100.255'], // TEST-NET-2
  ['203.0.113.0', '203.0.113.255'], // TEST-NET-3
  ['224.0.0.0', '239.255.255.255'], // multicast
  ['240.0.0.0', '255.255.255.255'], // reserved, limited broadcast
  ['168.63.129.16', '168.63.129.16'], // Azure wire server
  ['::', '::'], // unspecified
  ['::1', '::1'], // loopback
  ['::', '::ffff:ffff'], // IPv4-compatible
  ['64:ff9b::', '64:ff9b::ffff:ffff'], // NAT64
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'], // local NAT64
  ['100::', '100::ffff:ffff:ffff:ffff'], // discard only
  ['100:0:0:1::', '100::1:ffff:ffff:ffff:ffff'], // dummy prefix
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'], // IETF protocol assignments, Teredo, benchmarking, ORCHID
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'], // documentation
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], // 6to4
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'], // direct delegation AS112
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'], // documentation
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], // segment routing
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], // unique local, metadata
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], // link local
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], // deprecated site local
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], // multicast
];

/** The public addresses beside these blocks, and the first and last one of all of IPv6. */
export const PUBLIC_NEIGHBOURS: readonly string[] = `
  1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
  172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0 192.31.195.255 192.31.197.0
  192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0
  198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 168.63.129.15
  168.63.129.17 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9::
  2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2003:: 2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001::
  3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000:: 2000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
`
  .trim()
  .split(/\s+/);
