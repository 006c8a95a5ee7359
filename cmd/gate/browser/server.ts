import type { EmbedSession, EmbedSessionState } from '../../../src/common/generated/wire.ts';
import { editorError, explainSilence } from './errors.ts';
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
    const noAnswer = (error: unknown): boolean => (error as Error).name === 'AbortError';
    return this.#fetch(ms, '/svc/healthz', { cache: 'no-store' }).then(() => false, noAnswer);
  }

  /** @param path below the session, or that of all sessions without one */
  async #ask<Answer>(ms: number, method: string, path: string, session?: Session, body?: object): Promise<Answer> {
    const { networkError } = this.#texts;
    const id = session ? `/${encodeURIComponent(session.session_id)}` : '';
    // No `cache`: the server forbids to keep what it answers, and with it browsers would ask first whether they may (CORS).
    const { ok, status, text } = await this.#fetch(ms, `/svc/embed/session${id}${path}`, {
      method,
      headers: {
        ...(session && { Authorization: `Bearer ${session.form.access_token}` }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      // A page that goes away can still send it.
      keepalive: session !== undefined && method !== 'GET',
    }).catch((error) => {
      const hint = session ? {} : { hint: explainSilence(this.#origin, 'connect-src') };
      throw editorError('network_error', networkError, { reason: String(error), ...hint });
    });
    const answer = parse(text);
    if (ok && (answer !== undefined || status === 204)) return answer as Answer;
    throw serverError(status, answer, networkError);
  }

  /** @throws an `AbortError` when the whole answer takes longer than so many milliseconds */
  async #fetch(ms: number, path: string, init: RequestInit): Promise<{ ok: boolean; status: number; text: string }> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), ms);
    const always: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer', signal: abort.signal };
    try {
      const response = await fetch(this.#origin + path, { ...init, ...always });
      return { ok: response.ok, status: response.status, text: await response.text() };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The server's own error, or that something between here and there has answered. */
function serverError(status: number, answer: unknown, networkError: string): SVC.EditorError {
  const { error } = (answer ?? {}) as { error?: { code?: unknown; message?: unknown; detail?: object } };
  if (typeof error?.code !== 'string') return editorError('network_error', networkError, { status });
  return editorError(error.code, String(error.message ?? ''), { ...error.detail });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
