import type { SessionState } from './server.ts';

/** The server's state of a document when unsaved changes were made on top of it. */
export interface Baseline {
  version: number;
  /** Time at which the editor had fetched the document; null when it is not known. */
  loadedAt: string | null;
}

/**
 * Finds out where the changes on top of a baseline are, once the editor has nothing that is not saved: a newer version has
 * them; the editor still has the same document, so that they are pending; or it fetched the document anew without them.
 */
export function locateChanges(
  { version, loadedAt }: Baseline,
  current: Pick<SessionState, 'version' | 'loaded_at'>,
): 'stored' | 'pending' | 'lost' | 'unknown' {
  if (current.version > version) return 'stored';
  if (loadedAt === null || current.loaded_at === null) return 'unknown';
  return current.loaded_at === loadedAt ? 'pending' : 'lost';
}
