/** A pod's `/etc/resolv.conf` (resolv.conf(5)), as far as it tells about its cluster. */
export interface Resolver {
  nameserver?: string;
  /** From a search list such as `shop.svc.cluster.local svc.cluster.local cluster.local`. */
  clusterDomain?: string;
}

/** Reads the first server and, when a kubelet has written the file, the cluster's domain. */
export function parseResolvConf(text: string): Resolver {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const nameserver = lines.find(([keyword]) => keyword === 'nameserver')?.[1];
  // The last list counts, as for the resolver itself.
  const search = lines.findLast(([keyword]) => keyword === 'search')?.slice(1) ?? [];
  const services = search.find((domain) => domain.startsWith('svc.'));
  return {
    ...(nameserver !== undefined && { nameserver }),
    ...(services !== undefined && { clusterDomain: services.slice('svc.'.length).replace(/\.$/, '') }),
  };
}
