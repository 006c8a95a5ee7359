import { inNetwork, parseAddress } from '../../../src/common/net/address.ts';
import { parseProxy } from '../../../src/common/net/proxy.ts';

/** `HTTPS_PROXY`, unless `NO_PROXY` has the host: a name, which also stands for its subdomains, an address, a CIDR or `*`. */
export function proxyFor(url: URL, environment: Readonly<Record<string, string | undefined>>): URL | undefined {
  const named = environment['HTTPS_PROXY'] || environment['https_proxy'];
  const except = environment['NO_PROXY'] || environment['no_proxy'] || '';
  if (!named || url.protocol !== 'https:') return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (except.split(',').some((item) => covers(item.trim().toLowerCase(), host))) return undefined;
  const { proxy, mistakes } = parseProxy(named);
  if (!proxy) throw new Error(`HTTPS_PROXY ${mistakes.join(', ')}`);
  return proxy;
}

function covers(item: string, host: string): boolean {
  if (item === '' || item === '*') return item === '*';
  const address = parseAddress(host);
  if (!address) return host === item.replace(/^[.]/, '') || host.endsWith(`.${item.replace(/^[.]/, '')}`);
  const [first = '', bits] = item.split('/');
  const network = parseAddress(first.replace(/^\[|\]$/g, ''));
  if (!network) return false;
  return inNetwork(address, [network, Number(bits ?? (network.kind() === 'ipv4' ? 32 : 128))]);
}
