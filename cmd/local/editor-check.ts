import type { Dispatcher } from 'undici';
import { editPages } from '../../src/common/editor/discovery-xml.ts';
import { createEditorAgent, fetchText } from '../../src/common/editor/fetch-text.ts';
import { logIn } from '../../src/common/editor/login.ts';

const MAX_BYTES = 2 * 1024 * 1024;

export interface EditorCheckOptions {
  /** Address of the editor for this machine. */
  url: string;
  /** Login of the admin console. */
  user: string;
  password: string;
  /** Address of the service for browsers. */
  address: string;
  /** Address of the gate, which runs, for the editor. */
  wopiUrl: string;
  /** Pages that may embed. */
  origins: readonly string[];
}

/** Checks from outside whether an editor works with this service. @returns a sentence for each mistake */
export async function checkEditor(options: EditorCheckOptions): Promise<string[]> {
  const agent = createEditorAgent();
  try {
    const { pages, origins } = await readDiscovery(options.url, agent);
    const found = await Promise.all([
      checkAddress([...origins], options.address),
      checkAdmin(options, agent),
      checkHost(options, agent),
      checkFrame([...pages.values()][0] ?? '', options, agent),
    ]);
    return found.filter((sentence) => sentence !== undefined);
  } catch (error) {
    return [`No editor answers at ${options.url}/hosting/discovery: ${reason(error)}.`];
  } finally {
    await agent.destroy();
  }
}

async function readDiscovery(url: string, agent: Dispatcher) {
  const { status, text } = await fetchText(`${url}/hosting/discovery`, { agent, maxBytes: MAX_BYTES });
  if (status !== 200) throw new Error(`the answer is ${status}`);
  return editPages(text);
}

function checkAddress(named: readonly string[], address: string): string | undefined {
  const { origin: own, host } = new URL(address);
  if (named.every((origin) => origin === own)) return undefined;
  const settings = `server_name=${host}, ssl.enable=false and ssl.termination=false`;
  return `Its discovery names ${named.join(', ')}, but browsers find it at ${address}: set ${settings}.`;
}

async function checkAdmin(options: EditorCheckOptions, agent: Dispatcher): Promise<string | undefined> {
  // A slow request ends by itself: no signal has to.
  const { signal } = new AbortController();
  try {
    await logIn({ ...options, agent, signal });
    return undefined;
  } catch (error) {
    return `The admin channel does not work, so the gate cannot see who edits: ${reason(error)}.`;
  }
}

/** Asks the editor to reach the gate. */
async function checkHost({ url, wopiUrl }: EditorCheckOptions, agent: Dispatcher): Promise<string | undefined> {
  const result = await fetchText(`${url}/hosting/wopiAccessCheck`, {
    agent,
    maxBytes: MAX_BYTES,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ callbackUrl: `${wopiUrl}/svc/healthz` }),
  }).then(
    ({ text }) => /"status"\s*:\s*"(\w+)"/.exec(text)?.[1],
    () => undefined,
  );
  if (result === undefined || result === 'Ok') return undefined;
  if (result === 'WopiHostNotAllowed') return `It refuses documents of this service: set aliasgroup1=${wopiUrl}.`;
  return `It does not reach the gate at ${wopiUrl} (${result}): SVC_GATE_WOPI_URL has to be an address that it can reach, and no firewall may be between.`;
}

async function checkFrame(
  page: string,
  { url, address, wopiUrl, origins }: EditorCheckOptions,
  agent: Dispatcher,
): Promise<string | undefined> {
  const source = encodeURIComponent(`${wopiUrl}/svc/wopi/files/none`);
  const answer = await fetchText(`${url}${page}WOPISrc=${source}`, { agent, maxBytes: MAX_BYTES }).catch(
    () => undefined,
  );
  const policy = String(answer?.headers['content-security-policy'] ?? '');
  const sources = /(?:^|[;,])\s*frame-ancestors\s+([^;,]*)/.exec(policy)?.[1]?.trim().split(/\s+/);
  const refused = sources
    ? origins.filter((origin) => origin !== '*' && !isAllowedAncestor(origin, sources, address))
    : [];
  if (refused.length === 0) return undefined;
  const hosts = refused.map((origin) => new URL(origin).host).join(' ');
  return `It stays blank in pages of ${refused.join(', ')}: add ${hosts} to frame-ancestors in net.content_security_policy.`;
}

function reason(error: unknown): string {
  const { message, errors } = error as Error & { errors?: Error[] };
  // Each of several addresses has failed in its own way.
  return message || (errors ?? []).map((each) => each.message).join(', ') || String(error);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const SOURCE = /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/:]+|\[[^\]]+\])(?::(\d+|\*))?\/?$/i;

/**
 * Returns whether a page may frame another one by the sources of CSP's `frame-ancestors`.
 * @param own origin of the framed page, whose scheme is that of sources without one
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

/** A source with http includes https. */
function matchesScheme({ protocol }: URL, scheme: string): boolean {
  return protocol === scheme || (scheme === 'http:' && protocol === 'https:');
}

function matchesHost({ hostname }: URL, host: string): boolean {
  return host === '*' || host === hostname || (host.startsWith('*.') && hostname.endsWith(host.slice(1)));
}

function matchesPort({ protocol, port }: URL, wanted: string | undefined): boolean {
  return wanted === '*' || (port || DEFAULT_PORTS[protocol]) === (wanted ?? DEFAULT_PORTS[protocol]);
}
