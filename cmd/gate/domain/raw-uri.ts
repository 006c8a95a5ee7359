import { decode, type ReadWopiSrc, type WopiSrc } from './wopi-src.ts';

/** The document that a request to the editor would open. */
export interface Opening {
  /** See `WopiSrc`. */
  wopiSrc: string;
  /** Id of the document of ours; null for a document of another WOPI host. */
  docId: string | null;
  /** The access token; null at a page, whose token is in the body. */
  token: string | null;
  permission: string | null;
}

const MAX_LENGTH = 8192;
/** The editor decodes a document part two or three times, a proxy before it perhaps once. */
const MAX_DECODINGS = 4;

/** The characters that browsers send; everything else in a URL is escaped (RFC 3986 2). */
const RAW = /^\/[!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]*$/;
/** Here the editor would put in a document's address in hexadecimal digits, wherever it stands. */
const HEXIFIED = /cool\/0x/i;
const PAGE = /^\/browser\/[A-Za-z0-9_-][A-Za-z0-9._-]*\/cool\.html$/;
const SOCKET_OF_DOCUMENT = /^\/cool\/([^/]+)\/ws(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$/;
const SOCKET = /^\/cool\/ws\/?$/;
const BARE_DOCUMENT = /^\/cool\/([^/]+)$/;
const ARGUMENT_NAME = /^[A-Za-z0-9_.~-]+$/;
/** Arguments that the editor decides by. Any other way to write one is refused. */
const TELLING: ReadonlyMap<string, string> = new Map(
  ['WOPISrc', 'access_token', 'permission'].map((name) => [name.toLowerCase(), name]),
);
const PERMISSIONS: ReadonlySet<string> = new Set(['edit', 'view', 'readonly']);
const OWN_TOKEN = /^[A-Za-z0-9_-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** By their names in lower case. */
type Arguments = ReadonlyMap<string, string>;

/** A document with the arguments in its own query. */
interface Named extends Pick<WopiSrc, 'wopiSrc' | 'docId'> {
  args: Arguments;
}

/**
 * Reads the raw URI of a request to the editor (contract: Front proxy routing): a page
 * `/browser/<hash>/cool.html?WOPISrc=…` or a WebSocket `/cool/<document>/ws`, `/cool/<document>?ws`,
 * `/cool/ws?WOPISrc=…`. Returns undefined for anything that two readers could take for different documents. Never
 * throws.
 */
export function parseRawUri(uri: string, stage: string, readWopiSrc: ReadWopiSrc): Opening | undefined {
  if (uri.length > MAX_LENGTH || !RAW.test(uri) || HEXIFIED.test(uri)) return undefined;
  const [path = '', query = '', ...more] = uri.split('?');
  // The editor splits its paths at every question mark.
  if (more.length > 0) return undefined;
  if (stage === 'page') return PAGE.test(path) ? openedByArguments(query, readWopiSrc) : undefined;
  if (stage !== 'ws') return undefined;
  if (SOCKET.test(path)) return openedByArguments(query, readWopiSrc);
  const [, part] = SOCKET_OF_DOCUMENT.exec(path) ?? [];
  if (part !== undefined) return openedByPath(part, query, readWopiSrc);
  const [, bare] = BARE_DOCUMENT.exec(path) ?? [];
  return bare !== undefined && query === 'ws' ? openedByPath(bare, '', readWopiSrc) : undefined;
}

/** The document is the WOPISrc argument, the token another one. */
function openedByArguments(query: string, readWopiSrc: ReadWopiSrc): Opening | undefined {
  const args = readArguments(query);
  const source = args?.get('wopisrc');
  if (!args || source === undefined) return undefined;
  const document = readSource(source, readWopiSrc);
  return document && opening(document, args);
}

/** The document and its token are in the path. A WOPISrc argument only tells proxies; it has to name the same. */
function openedByPath(part: string, query: string, readWopiSrc: ReadWopiSrc): Opening | undefined {
  const outer = readArguments(query);
  if (!outer || outer.has('access_token') || outer.has('permission')) return undefined;
  const document = readEncoded(part, readWopiSrc);
  if (!document || document.args.has('wopisrc')) return undefined;
  const source = outer.get('wopisrc');
  if (source !== undefined && readSource(source, readWopiSrc)?.wopiSrc !== document.wopiSrc) return undefined;
  return opening(document, document.args);
}

function opening({ wopiSrc, docId }: Named, args: Arguments): Opening | undefined {
  const permission = args.get('permission') || null;
  if (permission !== null && !PERMISSIONS.has(permission)) return undefined;
  const token = args.get('access_token') || null;
  if (docId !== null && token !== null && !OWN_TOKEN.test(token)) return undefined;
  return { wopiSrc, docId, token: token === null ? null : plain(token), permission };
}

/** The value of a WOPISrc argument: it has no telling arguments of its own, and ours have none at all. */
function readSource(value: string, readWopiSrc: ReadWopiSrc): Named | undefined {
  // A plus is a space to some readers.
  const document = value.includes('+') ? undefined : readEncoded(value, readWopiSrc);
  if (!document || document.args.size === 0) return document;
  const isTelling = [...document.args.keys()].some((key) => TELLING.has(key));
  return isTelling || document.docId !== null ? undefined : document;
}

/**
 * Reads an address that is encoded up to four times. The editor’s decodings depend on version and place, so all
 * readings have to name the same document.
 */
function readEncoded(encoded: string, readWopiSrc: ReadWopiSrc): Named | undefined {
  let found: Named | undefined;
  let text = encoded;
  for (let round = 0; round <= MAX_DECODINGS; round += 1) {
    if (CONTROL.test(text)) return undefined;
    const isAddress = text.includes('://');
    if (isAddress) {
      const named = readNamed(text, readWopiSrc);
      if (!named || (found && !agree(found, named))) return undefined;
      found = named;
    }
    if (!text.includes('%')) return found;
    const next = decode(text);
    if (next === undefined) return undefined;
    text = next;
  }
  return undefined;
}

function readNamed(url: string, readWopiSrc: ReadWopiSrc): Named | undefined {
  const source = readWopiSrc(url);
  const args = source && readArguments(source.query);
  return args && { wopiSrc: source.wopiSrc, docId: source.docId, args };
}

function agree(one: Named, other: Named): boolean {
  return (
    one.wopiSrc === other.wopiSrc &&
    one.args.get('permission') === other.args.get('permission') &&
    one.args.size === other.args.size &&
    [...one.args.keys()].every((name) => other.args.has(name)) &&
    (one.docId === null || one.args.get('access_token') === other.args.get('access_token'))
  );
}

/** Arguments by name, values as they stand; undefined where one comes twice or could be taken for another. */
function readArguments(query: string): Arguments | undefined {
  const args = new Map<string, string>();
  for (const argument of query.split('&')) {
    if (argument === '') continue;
    const [name = '', ...value] = argument.split('=');
    const key = name.toLowerCase();
    if (!ARGUMENT_NAME.test(name) || args.has(key)) return undefined;
    if ((TELLING.get(key) ?? name) !== name) return undefined;
    args.set(key, value.join('='));
  }
  return args;
}

/** A foreign token without its escapes, so that it counts as one however it is spelled. */
function plain(token: string): string {
  let text = token;
  for (let round = 0; round < MAX_DECODINGS && text.includes('%'); round += 1) {
    const next = decode(text);
    if (next === undefined) break;
    text = next;
  }
  return text;
}
