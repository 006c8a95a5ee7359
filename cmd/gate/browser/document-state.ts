import type { Session, SessionState } from './server.ts';

/** The state of an editor and its document. */
export interface DocumentState {
  status: SVC.Info['state'];
  session: Session | undefined;
  /** The server's last answer. */
  server: SessionState | undefined;
  version: number | undefined;
  modified: boolean;
}

/** Converts the state to what `getInfo()` returns. */
export function toInfo({ status, session, server, version, modified }: DocumentState): SVC.Info {
  return {
    state: status,
    mode: session?.mode ?? null,
    requestedMode: session?.requested_mode ?? null,
    limited: session?.limited ?? false,
    modified,
    version: version ?? null,
    savedAt: server?.saved_at ?? null,
    key: session?.key ?? null,
    docId: session?.doc_id ?? null,
    sessionId: session?.session_id ?? null,
    users: (server?.users ?? []).map(({ id, name }) => ({ id, name })),
  };
}
