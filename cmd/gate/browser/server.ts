import type { EmbedSession, EmbedSessionState } from '../../../src/common/generated/wire.ts';
import { editorError } from './errors.ts';
import type { Texts } from './texts.ts';

export type Session = EmbedSession;
export type SessionState = EmbedSessionState;

/** Converts a state to the version that `save()` and `onSaved` report. */
export function toSavedVersion(state: SessionState): SVC.SavedVersion {
  return {
    version: state.version,
    url: state.download_url,
    size: state.size,
    sha256: state.sha256,
    savedAt: state.saved_at,
  };
}

/** A request that has not been answered by then never will be. */
const ANSWER_MS = 30_000;
/** A question after the state is small, and asked again. */
const STATE_MS = 5_000;
const PROBE_MS = 2_000;
/** The first one takes the server a download. It may come after it was given up (`opening.ts`), and is taken back then. */
const CREATE_MS = 150_000;

/** The gate's session endpoints. Everything rejects with an `EditorError`. */
export class Server {
  readonly #origin: string;
  readonly #texts: Texts;

  constructor(origin: string, texts: Texts) {
    this.#origin = origin;
    this.#texts = texts;
  }

  create(request: object): Promise<Session> {
    return this.#ask(CREATE_MS, 'POST', '', undefined, request);
  }

  /** @param nonce of a save that is waited for */
  state(session: Session, nonce?: string): Promise<SessionState> {
    return this.#ask(STATE_MS, 'GET', nonce ? `?nonce=${nonce}` : '', session);
  }

  /** The same of a server that may not be there, or not be reached. */
  async probe(session: Session): Promise<SessionState> {
    // Browsers go on with the question whether they may ask (CORS) after they were aborted, and so keep
    // connections on which nothing comes back: this needs no such question.
    if (await this.isSilent(PROBE_MS))
      throw editorError('network_error', this.#texts.networkError, { reason: 'silent' });
    return this.#ask(PROBE_MS, 'GET', '', session);
  }

  setMode(session: Session, mode: SVC.Mode): Promise<Session> {
    return this.#ask(ANSWER_MS, 'POST', '/mode', session, { mode });
  }

  remove(session: Session): Promise<void> {
    return this.#ask(ANSWER_MS, 'DELETE', '', session);
  }

  /** Returns whether nothing at all comes back within so many milliseconds, not even a refusal. */
  async isSilent(ms: number): Promise<boolean> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), ms);
    const init: RequestInit = { credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' };
    await fetch(`${this.#origin}/svc/healthz`, { ...init, signal: abort.signal }).catch(() => {});
    clearTimeout(timer);
    return abort.signal.aborted;
  }

  /** @param path below the session, or that of all sessions without one */
  async #ask<Answer>(ms: number, method: string, path: string, session?: Session, body?: object): Promise<Answer> {
    const { networkError } = this.#texts;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), ms);
    let response: Response;
    let text: string;
    try {
      const id = session ? `/${encodeURIComponent(session.session_id)}` : '';
      response = await fetch(`${this.#origin}/svc/embed/session${id}${path}`, {
        method,
        headers: {
          ...(session && { Authorization: `Bearer ${session.form.access_token}` }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        credentials: 'omit',
        // The server forbids to keep what it answers; what is said about it here would have each question asked before.
        redirect: 'error',
        referrerPolicy: 'no-referrer',
        // A page that goes away can still send it.
        keepalive: session !== undefined && method !== 'GET',
        signal: abort.signal,
      });
      text = await response.text();
    } catch (error) {
      const hint = session ? {} : { hint: describeSilence(this.#origin) };
      throw editorError('network_error', networkError, { reason: String(error), ...hint });
    } finally {
      clearTimeout(timer);
    }
    const answer = parse(text);
    if (response.ok && (answer !== undefined || response.status === 204)) return answer as Answer;
    throw serverError(response.status, answer, networkError);
  }
}

/** Explains a first request without an answer. Browsers keep it from pages whose origin is not allowed. */
function describeSilence(origin: string): string {
  return (
    `does the service's SVC_EMBED_ALLOWED_ORIGINS have ${location.origin} (with make run: SVC_LOCAL_PORTS its port), ` +
    `and does the policy of this page name ${origin} in connect-src?`
  );
}

/** The server's own error, or that something between here and there has answered. */
function serverError(status: number, answer: unknown, networkError: string): SVC.EditorError {
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown; detail?: unknown } };
  if (typeof error?.code !== 'string') return editorError('network_error', networkError, { status });
  const detail = typeof error.detail === 'object' && error.detail !== null ? error.detail : {};
  return editorError(error.code, String(error.message ?? ''), { ...detail });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
