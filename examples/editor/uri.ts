/** Which document a WebSocket is for, and with what it may be asked for. */
export interface DocumentUri {
  /** Without its query. */
  wopiSrc: string;
  /** Parameters of every request to the WOPI host, the token first of all. */
  access: URLSearchParams;
}

export type Upgrade = { kind: 'admin' } | { kind: 'editing'; uri: DocumentUri } | { kind: 'none' };

/**
 * The raw path and query of a request as coolwsd takes it apart: at every `/` and `?`, undecoded, empty parts dropped
 * (reference/editor.md A1.2). So `/cool/?getMetrics` is `/cool/getMetrics`.
 */
export function segments(rawUri: string): string[] {
  return rawUri.split(/[/?]/).filter((segment) => segment !== '');
}

/** Parses the URL of a WebSocket upgrade, in both forms, by the table of what a running coolwsd accepted and refused. */
export function parseUpgrade(rawUri: string): Upgrade {
  const [first, second] = segments(rawUri);
  if (first === 'cool' && second === 'adminws') return { kind: 'admin' };
  const uri = queryForm(rawUri) ?? pathForm(rawUri);
  return uri ? { kind: 'editing', uri } : { kind: 'none' };
}

/** 26.04: `/cool/ws?WOPISrc=…&access_token=…`; the document is the WOPISrc. */
function queryForm(rawUri: string): DocumentUri | undefined {
  const query = /^\/cool\/ws\?([^/?]*)$/.exec(rawUri)?.[1];
  if (query === undefined) return undefined;
  const { WOPISrc: wopiSrc, ...access } = firstOfEach(new URLSearchParams(query));
  delete access['compat'];
  delete access['RouteToken'];
  return wopiSrc === undefined ? undefined : documentUri(wopiSrc, new URLSearchParams(access), query);
}

/**
 * 25.04: `/cool/<document URI>/ws?WOPISrc=…&compat=/ws`, where a `?` does instead of the second slash. The document is
 * the one in the path, decoded twice, whatever WOPISrc says.
 */
function pathForm(rawUri: string): DocumentUri | undefined {
  const part = /^\/cool\/([^/?]+)[/?]ws(?:\?[^/?]*(?:\/ws)?)?$/.exec(rawUri)?.[1];
  if (part === undefined) return undefined;
  const decoded = decode(decode(part));
  const [wopiSrc, query] = cut(decoded, '?');
  return documentUri(wopiSrc, new URLSearchParams(firstOfEach(new URLSearchParams(query))), query);
}

function documentUri(wopiSrc: string, access: URLSearchParams, query: string): DocumentUri | undefined {
  const [source, own] = cut(wopiSrc, '?');
  if (!/^https?:\/\//.test(source) || !URL.canParse(source)) return undefined;
  // Any of several is enough to be read-only, also one in the WOPISrc itself.
  const permissions = [query, own].flatMap((text) => new URLSearchParams(text).getAll('permission'));
  if (permissions.includes('readonly')) access.set('permission', 'readonly');
  return { wopiSrc: source, access };
}

/** Returns the first of parameters with the same name. */
function firstOfEach(parameters: URLSearchParams): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) values[name] ??= value;
  return values;
}

function cut(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns whether an Origin is this server's own, whatever its scheme. */
export function ownOrigin(origin: string | undefined, hosts: readonly (string | undefined)[]): boolean {
  const authority = /^https?:\/\/([^/]+)$/i.exec(origin ?? '')?.[1]?.toLowerCase();
  return authority !== undefined && hosts.some((host) => host?.toLowerCase() === authority);
}
