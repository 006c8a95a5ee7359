import { type AllowList, parseAllowList } from './allow-list.ts';
import { type DenyList, parseDenyList } from './deny-list.ts';
import { parseProxy } from './proxy.ts';

/** Destinations that outbound requests of a service may have, and the proxy to them. */
export interface OutboundSettings {
  readonly allow: AllowList;
  readonly deny: DenyList;
  /** Proxy of requests to destinations that `allow` does not list. */
  readonly proxy: URL | undefined;
}

type Name = 'SVC_FETCH_ALLOW_HOSTS' | 'SVC_FETCH_DENY' | 'SVC_FETCH_PROXY';

/** Reads the variables that gate and DocBuilder have in common. @param blame takes what is wrong with each of them */
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
