import { SaxesParser } from 'saxes';

const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 16;
/** Placeholders of other vendors' discovery, such as `<ui=UI_LLCC&>`: optional, so left out. */
const PLACEHOLDERS = /<[^>]*>/g;

/**
 * The editor pages in a WOPI discovery document, by lower-case extension: of its `edit` actions the path and query of
 * `urlsrc`, ending so that another argument can follow (contract: Discovery). The host in it is not ours to use.
 * @throws {Error} for what is no such document
 */
export function editPages(xml: string): Map<string, string> {
  const pages = new Map<string, string>();
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
    const page = pageOf(urlsrc);
    const extension = ext.toLowerCase();
    if (page !== undefined && !pages.has(extension)) pages.set(extension, page);
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.write(xml).close();
  if (pages.size === 0) throw new Error('the discovery document has no edit action');
  return pages;
}

function pageOf(urlsrc: string): string | undefined {
  const url = URL.parse(urlsrc.replace(PLACEHOLDERS, ''));
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname.startsWith('//')) return undefined;
  const query = url.search.slice(1);
  return `${url.pathname}?${query === '' || query.endsWith('&') ? query : `${query}&`}`;
}
