import type { Emit } from './config.ts';
import type { Server, Session, SessionState } from './server.ts';
import type { Texts } from './texts.ts';

/** State that all parts of one editor share. */
export interface Context {
  config: SVC.Config;
  container: HTMLElement;
  /** Origin of the service. */
  origin: string;
  /** Title of the document, if it has one. */
  title: string | undefined;
  texts: Texts;
  server: Server;
  state: EditorState;
  emit: Emit;
  /** Aborts when the editor is over; listeners end with it. */
  over: AbortSignal;
}

/** The state of an editor and its document. */
export class EditorState {
  session: Session | undefined;
  /** The server's last answer. */
  server: SessionState | undefined;
  version: number | undefined;
  /** Time at which the editor fetched the document that is shown; null until the server has answered. */
  loadedAt: string | null = null;
  modified = false;
  #status: SVC.Info['state'] = 'loading';

  get status(): SVC.Info['state'] {
    return this.#status;
  }

  /** An editor that is over stays so, whatever still ends late. */
  set status(status: SVC.Info['state']) {
    if (!this.isOver()) this.#status = status;
  }

  isOver(): boolean {
    return this.#status === 'closed' || this.#status === 'destroyed';
  }

  isEditing(): boolean {
    return this.session?.mode === 'edit';
  }

  /** Converts the state to what `getInfo()` returns. */
  toInfo(): SVC.Info {
    const { status, session, server, version, modified } = this;
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
      users: server?.users ?? [],
    };
  }
}
