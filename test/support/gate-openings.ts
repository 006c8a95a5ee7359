import type { EditorView } from '../../cmd/gate/domain/ports.ts';

/** Addresses and URIs for tests of who is let in to the editor. */
export const WOPI_URL = 'http://gate:8081';
export const DOC = `doc_${'a1'.repeat(16)}`;
export const OTHER_DOC = `doc_${'b2'.repeat(16)}`;
export const FOREIGN = 'https://cloud.example/wopi/files/42';

export const toWopiSrc = (docId: string): string => `${WOPI_URL}/svc/wopi/files/${docId}`;

/** A view that edits, as the editor lists it. */
export const createView = (userId: string, docId: string | null = DOC): EditorView => ({
  docId,
  wopiSrc: docId === null ? FOREIGN : toWopiSrc(docId),
  userId,
  viewId: userId,
  readonly: false,
});

/** `text` escaped `times` times. */
export function escaped(text: string, times = 1): string {
  let result = text;
  for (let round = 0; round < times; round += 1) result = encodeURIComponent(result);
  return result;
}

/** The first WebSocket of the editor's release 25.04, its document part escaped any number of times. */
export function socket25(source: string, token: string, times = 1, more = ''): string {
  const inner = `${source}?access_token=${token}&access_token_ttl=1767225600000&no_auth_header=${more}`;
  return `/cool/${escaped(inner, times)}/ws?WOPISrc=${escaped(source)}&compat=/ws`;
}

/** The WebSocket of release 26.04. */
export function socket26(source: string, token: string, more = ''): string {
  return `/cool/ws?WOPISrc=${escaped(source)}&access_token=${token}&access_token_ttl=0&no_auth_header=${more}&compat=`;
}

export function page(source: string, more = ''): string {
  return `/browser/dd8e9a4/cool.html?WOPISrc=${escaped(source)}&lang=vi${more}`;
}
