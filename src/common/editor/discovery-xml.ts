import { SaxesParser } from 'saxes';

const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 16;
/** Optional placeholders such as `<ui=UI_LLCC&>`. */
const PLACEHOLDERS = /<[^<>]*>/g;

export interface EditPages {
  /** Path and query of `urlsrc` by lower-case extension; another parameter can be appended. */
  pages: Map<string, string>;
  /** Origins of `urlsrc`; the editor's sockets are there. */
  origins: Set<string>;
}

/** Parses the `edit` actions of a WOPI discovery document (contract: Discovery). @throws {Error} for other documents */
export function editPages(xml: string): EditPages {
  const pages = new Map<string, string>();
  const origins = new Set<string>();
  const parser = new SaxesParser({ position: false });
  let depth = 0;
  let elements = 0;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('the discovery document has a DOCTYPE');
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    elements += 1;
    if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) throw new Error('the discovery document is too large');
    if (elements === 1 && name !== 'wopi-discovery') throw new Error('this is no discovery document');
    const { name: action, ext, urlsrc } = attributes as Record<string, string | undefined>;
    if (name !== 'action' || action !== 'edit' || !ext || !urlsrc) return;
    const url = parseUrl(urlsrc);
    const extension = ext.toLowerCase();
    if (!url || pages.has(extension)) return;
    pages.set(extension, toPage(url));
    origins.add(url.origin);
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.write(xml).close();
  if (pages.size === 0) throw new Error('the discovery document has no edit action');
  return { pages, origins };
}

function parseUrl(urlsrc: string): URL | undefined {
  const url = URL.parse(urlsrc.replace(PLACEHOLDERS, ''));
  return url && /^https?:$/.test(url.protocol) && !url.pathname.startsWith('//') ? url : undefined;
}

function toPage({ pathname, search }: URL): string {
  const query = search.slice(1);
  return `${pathname}?${query === '' || query.endsWith('&') ? query : `${query}&`}`;
}
