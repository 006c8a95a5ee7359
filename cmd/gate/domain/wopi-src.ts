/** The address of a document, as a WOPISrc names it. */
export interface WopiSrc {
  /** In one spelling: lower-case host, no default port, the path decoded, no query. */
  wopiSrc: string;
  /** Id of the document of ours; null for a document of another WOPI host. */
  docId: string | null;
  /** The query as it stands, without its `?`. */
  query: string;
}

export type ReadWopiSrc = (url: string) => WopiSrc | undefined;

const URL_FORM =
  /^(https?):\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?(\/[^?#\\]*)?(?:\?([^#]*))?$/i;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };
const FILES = '/svc/wopi/files/';
const DOC_ID = /^doc_[0-9a-f]{32}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const UNSAFE = /[\\#\u0000-\u001f\u007f-\u009f]/;
const DOT_SEGMENT = /(^|\/)\.{1,2}(\/|$)/;

/** The WOPISrc that a document of ours has (contract: `/svc/wopi/files/{doc_id}`). */
export function toWopiSrc(wopiUrl: string, docId: string): string {
  return `${wopiUrl}${FILES}${docId}`;
}

/** Returns whether our documents can be recognized by this address: no user, no query, no trailing dot. */
export function isWopiUrl(wopiUrl: string): boolean {
  return parse(`${wopiUrl}/`) !== undefined;
}

/**
 * Makes the reader of WOPISrc URLs. It returns undefined for what is no plain http(s) URL, and for what looks like our
 * own WOPI host but is not exactly the address of a document of ours. @param wopiUrl address of our host, without a
 * slash at its end
 */
export function createWopiSrcReader(wopiUrl: string): ReadWopiSrc {
  const own = parse(`${wopiUrl}/`);
  if (!own) throw new TypeError('the WOPI address is not an http(s) URL');
  const ownFiles = `${own.path.slice(0, -1)}${FILES}`;

  return (text) => {
    const url = parse(text);
    if (!url) return undefined;
    const { scheme, host, port, path, query } = url;
    if (host === own.host && port === own.port) {
      const docId = path.slice(ownFiles.length);
      if (scheme !== own.scheme || !path.startsWith(ownFiles) || !DOC_ID.test(docId)) return undefined;
      return { wopiSrc: toWopiSrc(wopiUrl, docId), docId, query };
    }
    const decoded = decode(path);
    if (decoded === undefined || DOT_SEGMENT.test(decoded) || UNSAFE.test(decoded)) return undefined;
    // Our own documents under another name for our host, an address of it, a forwarded port.
    if (decoded.toLowerCase().includes('/svc/wopi/')) return undefined;
    const authority = port === DEFAULT_PORTS[scheme] ? host : `${host}:${port}`;
    return { wopiSrc: `${scheme}://${authority}${decoded}`, docId: null, query };
  };
}

/** Text with its escapes decoded once; undefined when one is malformed. */
export function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parse(text: string) {
  const [, scheme, host, port, path = '/', query = ''] = URL_FORM.exec(text) ?? [];
  if (!scheme || !host || scheme !== scheme.toLowerCase()) return undefined;
  return {
    scheme,
    host: host.toLowerCase(),
    port: String(Number(port ?? DEFAULT_PORTS[scheme])),
    path,
    query,
  };
}
