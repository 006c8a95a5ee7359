import type { Server, Session } from './server.ts';

export interface LeavingOptions {
  server: Pick<Server, 'setMode' | 'remove'>;
  session(): Session | undefined;
  /** The page was left and is kept as it is, connections of frames too. @returns whether to go on when it is back */
  onKept(): boolean;
  /** It is shown again. @param granted the session, once its place was asked for again */
  onBack(granted: Promise<Session>): void;
}

/**
 * The page is left: for good, or into the browser's back-forward cache, out of which it may come back for some minutes.
 * Nobody edits meanwhile, so the place is given back either way: with the session for good, since the token goes with
 * the page, or by a session that is a view until then. @returns ends it
 */
export function watchLeaving({ server, session, onKept, onBack }: LeavingOptions): () => void {
  /** What to go on with, and what was asked of the server before. */
  let kept: { mode: SVC.Mode; left: Promise<unknown> } | undefined;

  function hide({ persisted }: PageTransitionEvent): void {
    const current = session();
    if (!current) return;
    if (!persisted) return void server.remove(current).catch(() => {});
    if (!onKept()) return;
    const left = current.mode === 'edit' ? server.setMode(current, 'view').catch(() => {}) : Promise.resolve();
    kept = { mode: current.mode, left };
  }

  function show(): void {
    const current = session();
    if (!current || !kept) return;
    const { mode, left } = kept;
    kept = undefined;
    onBack(left.then(() => (mode === 'edit' ? server.setMode(current, mode) : current)));
  }

  window.addEventListener('pagehide', hide);
  window.addEventListener('pageshow', show);
  return () => {
    window.removeEventListener('pagehide', hide);
    window.removeEventListener('pageshow', show);
  };
}
