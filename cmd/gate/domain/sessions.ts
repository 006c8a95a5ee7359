import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { EmbedSession, EmbedSessionState } from '../../../src/common/generated/wire.ts';
import type { Embedding } from './config-check.ts';
import { at, type Documents, letIn } from './documents.ts';
import type { Links } from './links.ts';
import type { Loads } from './loads.ts';
import { GUEST, type Mode, type SessionRecord } from './model.ts';
import type { Admission, Downloader, EditorServer, Presence, Rows, RowsTransaction } from './ports.ts';
import { assertActive, hashOfToken, newSessionId, newToken, sessionOf, stateOf } from './session-token.ts';
import { type Full, sessionStateView, sessionView } from './session-view.ts';

interface Dependencies {
  rows: Rows;
  documents: Documents;
  downloader: Pick<Downloader, 'check'>;
  admission: Pick<Admission, 'admit' | 'release' | 'freed'>;
  editor: Pick<EditorServer, 'page'>;
  presence: Pick<Presence, 'users' | 'modified' | 'lists'>;
  links: Links;
  loads: Pick<Loads, 'at'>;
  /** Where the editor finds the WOPI host, without a slash at its end. */
  wopiUrl: string;
  ttlMinutes: number;
  clock: Clock;
  audit: Audit;
}

/** Where a request for a session came from. */
export interface Caller {
  /** Origin of the page; null when a server asks. */
  origin: string | null;
  /** Public address of the service, without a slash at its end. */
  baseUrl: string;
}

/** Embed sessions (contract: Gate, embedding). Each method but `create` takes the token that came with the request. */
export interface Sessions {
  /** @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large`, `invalid_config`, `editor_unavailable` */
  create(embedding: Embedding, caller: Caller): Promise<EmbedSession>;
  /**
   * Also of a session that has ended.
   * @param nonce of the save that the asker waits for
   * @throws {AppError} `not_found`, `invalid_session_token`
   */
  state(sessionId: string, token: string | undefined, baseUrl: string, nonce?: string): Promise<EmbedSessionState>;
  /**
   * @param wanted asked once it is known that the asker may
   * @throws {AppError} `not_found`, `invalid_session_token`, `editor_unavailable`; what `wanted` throws
   */
  changeMode(sessionId: string, token: string | undefined, wanted: () => Promise<Mode>): Promise<EmbedSession>;
  /** Ends a session; once more changes nothing. @throws {AppError} `not_found`, `invalid_session_token` */
  close(sessionId: string, token: string | undefined): Promise<void>;
}

export function createSessions(deps: Dependencies): Sessions {
  const { rows, documents, admission, editor, presence, links, wopiUrl, clock, audit } = deps;

  return {
    async create(embedding, caller) {
      await checkUrls(embedding, deps.downloader);
      const { docId, fileType } = await documents.hold(embedding.document);
      const sessionId = newSessionId();
      const { readOnly } = embedding;
      const isToEdit = embedding.mode === 'edit' && !readOnly;
      // A page that is loaded again gave its place up a moment ago.
      if (isToEdit) await admission.freed();
      const full = isToEdit ? admit(admission, { sessionId, docId }) : undefined;
      try {
        const page = await editor.page(fileType);
        const token = newToken();
        const made = await rows.transact((tx) => {
          const now = clock();
          const { callbackUrl, document } = embedding;
          const opened = letIn(tx, docId, now, { title: document.title, callbackUrl, baseUrl: caller.baseUrl });
          const session: SessionRecord = {
            sessionId,
            docId,
            ...modes(embedding.mode, full, { readOnly, hasEdited: false }),
            readOnly,
            tokenHash: hashOfToken(token),
            user: embedding.user ?? { id: sessionId, name: GUEST },
            lang: embedding.lang,
            ui: embedding.ui,
            origin: caller.origin,
            createdAt: now,
            expiresAt: now + deps.ttlMinutes * 60_000,
            closedAt: null,
          };
          tx.putSession(session);
          return { session, document: opened };
        });
        const { mode, user, origin } = made.session;
        audit.record('session.created', { session: sessionId, document: docId, user: user.id, mode, origin });
        return sessionView({ ...made, token, full, page, wopiUrl });
      } catch (error) {
        admission.release(sessionId);
        throw error;
      }
    },

    state: (sessionId, token, baseUrl, nonce) =>
      rows.transact((tx) => {
        const session = sessionOf(tx, sessionId, token);
        const now = clock();
        const state = stateOf(session, now);
        // Who was still in the document when the session expired goes on editing and saving.
        const there = state === 'active' || (state === 'expired' && presence.lists(session));
        const { document, current } = currentOf(tx, session);
        // Who has left still learns how the document fared, and gets no new way to its content.
        const until = there ? undefined : Math.min(session.closedAt ?? session.expiresAt, session.expiresAt);
        return sessionStateView({
          session,
          document,
          versions: tx.versions(document.docId),
          current,
          modified: presence.modified(document.docId),
          users: there ? presence.users(document.docId) : [],
          downloadUrl: links.sign(baseUrl, document.docId, current.version, until),
          loadedAt: deps.loads.at(document.docId),
          nonce,
          now,
        });
      }),

    async changeMode(sessionId, token, wanted) {
      const { fileType } = await rows.transact((tx) => {
        const session = sessionOf(tx, sessionId, token);
        assertActive(session, clock());
        return currentOf(tx, session).document;
      });
      const mode = await wanted();
      const page = await editor.page(fileType);
      // One transaction after the other: of two requests at a time the later one decides the mode and the place alike.
      const changed = await rows.transact((tx) => {
        const now = clock();
        const before = sessionOf(tx, sessionId, token);
        assertActive(before, now);
        const document = letIn(tx, before.docId, now);
        const full = mode === 'edit' && !before.readOnly ? admit(admission, before) : undefined;
        const session = { ...before, ...modes(mode, full, before) };
        if (mode === 'view') admission.release(sessionId);
        tx.putSession(session);
        return { session, document, full };
      });
      audit.record('session.mode', {
        session: sessionId,
        document: changed.document.docId,
        mode: changed.session.mode,
      });
      return sessionView({ ...changed, token: token as string, page, wopiUrl });
    },

    async close(sessionId, token) {
      const closed = await rows.transact((tx) => {
        const session = sessionOf(tx, sessionId, token);
        if (session.closedAt !== null) return undefined;
        tx.putSession({ ...session, closedAt: clock() });
        return session;
      });
      if (!closed) return;
      admission.release(sessionId);
      audit.record('session.closed', { session: sessionId, document: closed.docId });
    },
  };
}

/** Refuses a configuration whose addresses may not be reached, also where none of them is needed now. */
async function checkUrls({ document, callbackUrl }: Embedding, { check }: Pick<Downloader, 'check'>): Promise<void> {
  const checked = (path: string, url: string): Promise<void> =>
    check(url).catch((error: unknown) => {
      throw at(path, error);
    });
  await Promise.all([
    checked('/document/url', document.url),
    ...(callbackUrl === null ? [] : [checked('/editor/callbackUrl', callbackUrl)]),
  ]);
}

function admit(
  admission: Pick<Admission, 'admit'>,
  { sessionId, docId }: Pick<SessionRecord, 'sessionId' | 'docId'>,
): Full | undefined {
  const answer = admission.admit({ sessionId, docId });
  return answer.admitted ? undefined : answer;
}

function modes(
  requestedMode: Mode,
  full: Full | undefined,
  { readOnly, hasEdited }: Pick<SessionRecord, 'readOnly' | 'hasEdited'>,
): Pick<SessionRecord, 'mode' | 'requestedMode' | 'hasEdited'> {
  const mode = full || readOnly ? 'view' : requestedMode;
  return { mode, requestedMode, hasEdited: hasEdited || mode === 'edit' };
}

function currentOf(tx: RowsTransaction, { docId }: SessionRecord) {
  const document = tx.document(docId);
  const current = document && tx.version(docId, document.version);
  if (!document || !current) throw new AppError('not_found');
  return { document, current };
}
