import type { Server, Session } from './server.ts';

export interface PageLifecycleOptions {
  server: Pick<Server, 'setMode' | 'remove'>;
  getSession(): Session | undefined;
  /** The page enters the back-forward cache with all its frames. @returns whether to reopen the document afterwards */
  onFrozen(): boolean;
  /** The page is shown again. @param granted the session, once its place was asked for again */
  onResumed(granted: Promise<Session>): void;
}

/**
 * Gives the session's place back when the page is left: for good, or into the browser's back-forward cache, from which it
 * may come back for some minutes. For good the session is removed, since the token goes with the page; otherwise it is a
 * view until then. @returns a function that stops watching
 */
export function watchPageLifecycle({ server, getSession, onFrozen, onResumed }: PageLifecycleOptions): () => void {
  /** The mode to go on with, and the request that gave up the place. */
  let frozen: { mode: SVC.Mode; released: Promise<unknown> } | undefined;

  function onHide({ persisted }: PageTransitionEvent): void {
    const session = getSession();
    if (!session) return;
    if (!persisted) return void server.remove(session).catch(() => {});
    if (!onFrozen()) return;
    const released = session.mode === 'edit' ? server.setMode(session, 'view').catch(() => {}) : Promise.resolve();
    frozen = { mode: session.mode, released };
  }

  function onShow(): void {
    const session = getSession();
    if (!session || !frozen) return;
    const { mode, released } = frozen;
    frozen = undefined;
    onResumed(released.then(() => (mode === 'edit' ? server.setMode(session, mode) : session)));
  }

  window.addEventListener('pagehide', onHide);
  window.addEventListener('pageshow', onShow);
  return () => {
    window.removeEventListener('pagehide', onHide);
    window.removeEventListener('pageshow', onShow);
  };
}
