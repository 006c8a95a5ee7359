/**
 * Returns true if a page of this origin may embed (contract: Authentication, Embedding gate). The Origin header is
 * compared as it is: it writes an origin in one way only (RFC 6454, section 6.2). `null`, the origin of sandboxed
 * frames and local files, says nothing about who asks, so that only `*` lets it in.
 * @param allowed serialized origins, or `*`
 * @param origin the header `Origin`; servers send none and are let in
 */
export function allowsOrigin(allowed: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined) return true;
  if (allowed.includes('*')) return origin === 'null' || isSerialized(origin);
  return allowed.includes(origin);
}

/** Other schemes have origins too, such as that of an app's own pages. */
function isSerialized(origin: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,]+$/.test(origin);
}
