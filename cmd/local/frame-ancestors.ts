const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const SOURCE = /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/:]+|\[[^\]]+\])(?::(\d+|\*))?\/?$/i;

/**
 * Returns whether a page may frame another one, by the sources of CSP's `frame-ancestors`.
 * @param origin of the page that frames
 * @param own origin of the page that is framed: sources without a scheme have its scheme
 */
export function isAllowedAncestor(origin: string, sources: readonly string[], own: string): boolean {
  const page = new URL(origin);
  return sources.some((source) => {
    if (source === '*') return true;
    if (source === "'self'") return origin === own;
    const [, scheme = new URL(own).protocol, host = '', port] = SOURCE.exec(source.toLowerCase()) ?? [];
    return matchesScheme(page, scheme) && matchesHost(page, host) && matchesPort(page, port);
  });
}

/** A source with http is one with https, too. */
function matchesScheme({ protocol }: URL, scheme: string): boolean {
  return protocol === scheme || (scheme === 'http:' && protocol === 'https:');
}

function matchesHost({ hostname }: URL, host: string): boolean {
  return host === '*' || host === hostname || (host.startsWith('*.') && hostname.endsWith(host.slice(1)));
}

function matchesPort({ protocol, port }: URL, wanted: string | undefined): boolean {
  return wanted === '*' || (port || DEFAULT_PORTS[protocol]) === (wanted ?? DEFAULT_PORTS[protocol]);
}
