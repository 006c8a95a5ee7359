import { SaxesParser } from 'saxes';

const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 16;
/** Placeholders of other vendors' discovery, such as `<ui=UI_LLCC&>`: optional, so left out. */
const PLACEHOLDERS = /<[^>]*>/g;

export interface EditPages {
  /** By lower-case extension: path and query of `urlsrc`, ending so that another argument can follow. */
  pages: Map<string, string>;
  /** Scheme and host of `urlsrc`, which are not ours to use: the editor has its sockets there. */
  origins: Set<string>;
}

/**
 * The editor pages in a WOPI discovery document: those of its `edit` actions (contract: Discovery).
 * @throws {Error} for what is no such document
 */
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
