import { iso } from '../../../src/common/clock.ts';
import type { EmbedSession, EmbedSessionState } from '../../../src/common/generated/wire.ts';
import type { Common } from './common.ts';
import type { Embedding } from './config-check.ts';
import type { AdmissionAnswer } from './counting.ts';
import { at, type Documents, findCurrent, letIn } from './documents.ts';
import { type DocumentRecord, GUEST, type Mode, type SessionRecord, type VersionRecord } from './model.ts';
import { type Places, waitForFreed } from './places.ts';
import type { Downloader, EditorServer } from './ports.ts';
import type { Presence } from './presence.ts';
import { assertActive, getSession, getState, hashToken, newSessionId, newToken } from './session-token.ts';
import { uiDefaults } from './ui.ts';
import { getLoadedAt } from './wopi-access.ts';
import { toWopiSrc } from './wopi-src.ts';

interface Dependencies extends Pick<Common, 'rows' | 'links' | 'clock' | 'audit'> {
  documents: Documents;
  downloader: Pick<Downloader, 'check'>;
  places: Pick<Places, 'use'>;
  editor: Pick<EditorServer, 'page'>;
  presence: Pick<Presence, 'users' | 'modified' | 'lists'>;
  /** The address at which the editor finds the WOPI host, without a slash at its end. */
  wopiUrl: string;
  ttlMinutes: number;
}

export interface Caller {
  /** Origin of the page; null when a server asks. */
  origin: string | null;
  /** Public address of the service, without a slash at its end. */
  baseUrl: string;
}

/** The figures of a refused admission. */
type Full = Extract<AdmissionAnswer, { admitted: false }>;

interface Answered {
  session: SessionRecord;
  document: DocumentRecord;
  full: Full | undefined;
}

/** Embed sessions (contract: Gate, embedding). Each method but `create` takes the token that came with the request. */
export class Sessions {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large`, `invalid_config`, `editor_unavailable` */
  async create(embedding: Embedding, caller: Caller): Promise<EmbedSession> {
    const { documents, downloader, places, editor, audit } = this.#deps;
    await checkUrls(embedding, downloader);
    const { docId, fileType } = await documents.hold(embedding.document);
    const sessionId = newSessionId();
    const isToEdit = embedding.mode === 'edit' && !embedding.readOnly;
    // A page that is loaded again gave its place up a moment ago.
    if (isToEdit) await waitForFreed(places);
    const full = isToEdit ? await this.#admit(sessionId) : undefined;
    try {
      const page = await editor.page(fileType);
      const token = newToken();
      const made = await this.#add(embedding, caller, { sessionId, docId, full, tokenHash: hashToken(token) });
      const { user, origin, mode } = made.session;
      audit.record('session.created', { session: sessionId, document: docId, user: user.id, mode, origin });
      return this.#view(made, token, page);
    } catch (error) {
      // A place that cannot be given back now is free again after a minute.
      await this.#release(sessionId).catch(() => {});
      throw error;
    }
  }

  #add(
    embedding: Embedding,
    { origin, baseUrl }: Caller,
    { full, ...ids }: Pick<SessionRecord, 'sessionId' | 'docId' | 'tokenHash'> & { full: Full | undefined },
  ): Promise<Answered> {
    const { rows, ttlMinutes, clock } = this.#deps;
    const { callbackUrl, document, readOnly, lang, ui, user } = embedding;
    return rows.transact(async (tx) => {
      const now = clock();
      const session: SessionRecord = {
        ...{ ...ids, readOnly, lang, ui, origin },
        ...decideMode(embedding.mode, full, { readOnly, hasEdited: false }),
        user: user ?? { id: ids.sessionId, name: GUEST },
        createdAt: now,
        expiresAt: now + ttlMinutes * 60_000,
        closedAt: null,
      };
      const opened = await letIn(tx, ids.docId, now, { title: document.title, callbackUrl, baseUrl });
      await tx.putSession(session);
      return { session, document: opened, full };
    });
  }

  /**
   * Returns the state of a session, also of an ended one. @param nonce of the save that the client waits for
   * @throws {AppError} `not_found`, `invalid_session_token`
   */
  state(sessionId: string, token: string | undefined, baseUrl: string, nonce?: string): Promise<EmbedSessionState> {
    const { rows, presence, links, clock } = this.#deps;
    return rows.read(async (tx) => {
      const session = await getSession(tx, sessionId, token);
      const state = getState(session, clock());
      // A user who was still in the document when the session expired goes on editing and saving.
      const isThere = state === 'active' || (state === 'expired' && presence.lists(session));
      const { document, version: current } = await findCurrent(tx, session.docId);
      const { docId, key } = document;
      // A user who has left still learns the state of the document, but gets no working link to its content.
      const until = isThere ? undefined : Math.min(session.closedAt ?? session.expiresAt, session.expiresAt);
      const loadedAt = await getLoadedAt(tx, docId);
      return {
        ...{ session_id: sessionId, key, doc_id: docId, mode: session.mode, state },
        version: current.version,
        modified: presence.modified(docId),
        saved_at: current.version === 0 ? null : iso(current.savedAt),
        ...{ size: current.size, sha256: current.sha256 },
        download_url: links.sign(baseUrl, docId, current.version, until),
        users: isThere ? presence.users(docId) : [],
        loaded_at: loadedAt === null ? null : iso(loadedAt),
        save: findAskedSave(await tx.versions(docId), nonce),
      };
    });
  }

  /**
   * Changes the mode of a session. @param readMode called once the client is known to have access
   * @throws {AppError} `not_found`, `invalid_session_token`, `editor_unavailable`; errors of `readMode`
   */
  async changeMode(sessionId: string, token: string | undefined, readMode: () => Promise<Mode>): Promise<EmbedSession> {
    const { rows, editor, clock, audit } = this.#deps;
    const { fileType } = await rows.read(async (tx) => {
      const session = await getSession(tx, sessionId, token);
      assertActive(session, clock());
      return (await findCurrent(tx, session.docId)).document;
    });
    const mode = await readMode();
    const page = await editor.page(fileType);
    // The transaction locks the session: of two requests at a time the later one decides the mode and the place alike.
    const changed = await rows.transact(async (tx) => {
      const now = clock();
      const before = await getSession(tx, sessionId, token);
      assertActive(before, now);
      const document = await letIn(tx, before.docId, now);
      const full = mode === 'edit' && !before.readOnly ? await this.#admit(sessionId) : undefined;
      const session = { ...before, ...decideMode(mode, full, before) };
      if (mode === 'view') await this.#release(sessionId);
      await tx.putSession(session);
      return { session, document, full };
    });
    const { docId, mode: actual } = changed.session;
    audit.record('session.mode', { session: sessionId, document: docId, mode: actual });
    return this.#view(changed, token as string, page);
  }

  /** Ends a session; doing so again changes nothing. @throws {AppError} `not_found`, `invalid_session_token` */
  async close(sessionId: string, token: string | undefined): Promise<void> {
    const { rows, clock, audit } = this.#deps;
    const closed = await rows.transact(async (tx) => {
      const session = await getSession(tx, sessionId, token);
      if (session.closedAt !== null) return undefined;
      await tx.putSession({ ...session, closedAt: clock() });
      return session;
    });
    if (closed) audit.record('session.closed', { session: sessionId, document: closed.docId });
    // Also for a client that asks again because it got no answer.
    await this.#release(sessionId);
  }

  /** Returns the embed session of the contract. @param page path and query of the editor page, ready for `WOPISrc=` */
  #view({ session, document, full }: Answered, token: string, page: string): EmbedSession {
    return {
      session_id: session.sessionId,
      key: document.key,
      doc_id: document.docId,
      mode: session.mode,
      requested_mode: session.requestedMode,
      limited: full !== undefined,
      limit: full
        ? { code: 'connection_limit_reached', limit: full.limit, current: full.current, pending: full.pending }
        : null,
      message: full
        ? `Đã đạt giới hạn ${full.limit} kết nối chỉnh sửa đồng thời nên tài liệu được mở ở chế độ chỉ đọc. Vui lòng thử lại khi có người đóng tài liệu.`
        : null,
      editor_url: editorUrl(page, toWopiSrc(this.#deps.wopiUrl, document.docId), session),
      form: {
        access_token: token,
        access_token_ttl: session.expiresAt,
        ui_defaults: uiDefaults(session.ui, document.fileType),
      },
      version: document.version,
      expires_at: iso(session.expiresAt),
    };
  }

  async #admit(sessionId: string): Promise<Full | undefined> {
    const answer = await this.#deps.places.use((counting) => counting.admit(sessionId));
    return answer.admitted ? undefined : answer;
  }

  async #release(sessionId: string): Promise<void> {
    await this.#deps.places.use((counting) => counting.release(sessionId));
  }
}

/** Refuses a configuration whose addresses may not be reached, also where none of them is needed now. */
async function checkUrls({ document, callbackUrl }: Embedding, { check }: Pick<Downloader, 'check'>): Promise<void> {
  const urls = { '/document/url': document.url, ...(callbackUrl !== null && { '/editor/callbackUrl': callbackUrl }) };
  const checks = Object.entries(urls).map(([path, url]) =>
    check(url).catch((error: unknown) => {
      throw at(path, error);
    }),
  );
  await Promise.all(checks);
}

/**
 * Finds the save that was asked for with a nonce, else the last one with any: two people may save at the same moment. Only
 * one version keeps a nonce (`commitSave`).
 */
function findAskedSave(versions: readonly VersionRecord[], asked: string | undefined): EmbedSessionState['save'] {
  const saves = versions.flatMap(({ nonce, version }) => (nonce === null ? [] : [{ nonce, version }]));
  return saves.find(({ nonce }) => nonce === asked) ?? saves.at(-1) ?? null;
}

function decideMode(
  requestedMode: Mode,
  full: Full | undefined,
  { readOnly, hasEdited }: Pick<SessionRecord, 'readOnly' | 'hasEdited'>,
): Pick<SessionRecord, 'mode' | 'requestedMode' | 'hasEdited'> {
  const mode = full || readOnly ? 'view' : requestedMode;
  return { mode, requestedMode, hasEdited: hasEdited || mode === 'edit' };
}

/** The read-only argument only spares the editor's controls: CheckFileInfo forbids writing. */
function editorUrl(page: string, wopiSrc: string, { lang, mode, ui }: SessionRecord): string {
  return [
    `${page}WOPISrc=${encodeURIComponent(wopiSrc)}`,
    `lang=${encodeURIComponent(lang.replaceAll('_', '-'))}`,
    ...(ui.closeButton ? ['closebutton=1'] : []),
    ...(mode === 'view' ? ['permission=readonly'] : []),
  ].join('&');
}
