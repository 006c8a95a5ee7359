import type { Session, SessionState } from './server.ts';

/** What an editor knows of its document. */
export interface Known {
  status: SVC.Info['state'];
  session: Session | undefined;
  /** As the server last told it. */
  state: SessionState | undefined;
  version: number | undefined;
  modified: boolean;
}

/** The same as `getInfo()` tells it. */
export function infoOf({ status, session, state, version, modified }: Known): SVC.Info {
  return {
    state: status,
    mode: session?.mode ?? null,
    requestedMode: session?.requested_mode ?? null,
    limited: session?.limited ?? false,
    modified,
    version: version ?? null,
    savedAt: state?.saved_at ?? null,
    key: session?.key ?? null,
    docId: session?.doc_id ?? null,
    sessionId: session?.session_id ?? null,
    users: (state?.users ?? []).map(({ id, name }) => ({ id, name })),
  };
}
