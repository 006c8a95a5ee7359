import type { SessionState } from './server.ts';

/** What the server had of a document, when its page lost it with changes on top. */
export interface Floor {
  version: number;
  /** When the editor had fetched the document; null when that was not known. */
  loadedAt: string | null;
}

/**
 * What became of the changes on top, once the editor has nothing that is not saved: a newer version has them; the editor
 * still has the same document, so that they are on their way; or it has fetched the document anew without them.
 */
export function fateOf(
  { version, loadedAt }: Floor,
  current: Pick<SessionState, 'version' | 'loaded_at'>,
): 'stored' | 'coming' | 'lost' | 'unknown' {
  if (current.version > version) return 'stored';
  if (loadedAt === null || current.loaded_at === null) return 'unknown';
  return current.loaded_at === loadedAt ? 'coming' : 'lost';
}
