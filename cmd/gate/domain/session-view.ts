import { iso } from '../../../src/common/clock.ts';
import type { EmbedSession, EmbedSessionState } from '../../../src/common/generated/wire.ts';
import type { DocumentRecord, SessionRecord, VersionRecord } from './model.ts';
import type { AdmissionAnswer } from './ports.ts';
import { getState } from './session-token.ts';
import { uiDefaults } from './ui.ts';
import { toWopiSrc } from './wopi-src.ts';

/** The figures of a refused admission, for a session that wanted to edit and may not. */
export type Full = Extract<AdmissionAnswer, { admitted: false }>;

export interface SessionFacts {
  session: SessionRecord;
  document: DocumentRecord;
  token: string;
  full: Full | undefined;
  /** Path and query of the editor page, ready for `WOPISrc=`. */
  page: string;
  /** The address at which the editor finds the WOPI host, without a slash at its end. */
  wopiUrl: string;
}

/** A session as its creation and a change of mode answer it (contract: Embed session). */
export function sessionView({ session, document, token, full, page, wopiUrl }: SessionFacts): EmbedSession {
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
    message: full ? limitMessage(full) : null,
    editor_url: editorUrl(page, toWopiSrc(wopiUrl, document.docId), session),
    form: {
      access_token: token,
      access_token_ttl: session.expiresAt,
      ui_defaults: uiDefaults(session.ui, document.fileType),
    },
    version: document.version,
    expires_at: iso(session.expiresAt),
  };
}

/** The read-only argument only spares the editor's controls: what forbids writing is CheckFileInfo. */
function editorUrl(page: string, wopiSrc: string, { lang, mode, ui }: SessionRecord): string {
  const argument = (name: string, value: string): string => `${name}=${encodeURIComponent(value)}`;
  return [
    `${page}${argument('WOPISrc', wopiSrc)}`,
    argument('lang', lang.replaceAll('_', '-')),
    ...(ui.closeButton ? ['closebutton=1'] : []),
    ...(mode === 'view' ? ['permission=readonly'] : []),
  ].join('&');
}

function limitMessage({ limit }: Full): string {
  return `Đã đạt giới hạn ${limit} kết nối chỉnh sửa đồng thời nên tài liệu được mở ở chế độ chỉ đọc. Vui lòng thử lại khi có người đóng tài liệu.`;
}

export interface StateFacts {
  session: SessionRecord;
  document: DocumentRecord;
  /** Those that are kept, ascending. */
  versions: readonly VersionRecord[];
  current: VersionRecord;
  modified: boolean;
  users: EmbedSessionState['users'];
  downloadUrl: string;
  /** When the editor last fetched it; null when that is not known. */
  loadedAt: number | null;
  /** The nonce of the save that the asker waits for. */
  nonce: string | undefined;
  now: number;
}

/** A session's state (contract: Session state). */
export function sessionStateView(facts: StateFacts): EmbedSessionState {
  const { session, document, current, now } = facts;
  return {
    session_id: session.sessionId,
    key: document.key,
    doc_id: document.docId,
    mode: session.mode,
    state: getState(session, now),
    version: current.version,
    modified: facts.modified,
    saved_at: current.version === 0 ? null : iso(current.savedAt),
    size: current.size,
    sha256: current.sha256,
    download_url: facts.downloadUrl,
    users: facts.users,
    loaded_at: facts.loadedAt === null ? null : iso(facts.loadedAt),
    save: askedSave(facts.versions, facts.nonce),
  };
}

/**
 * The save that was asked for with a nonce, else the last that was with any: two people may save at the same moment. A
 * nonce is kept with the one version that it counts for (`commitSave`).
 */
function askedSave(versions: readonly VersionRecord[], asked: string | undefined): EmbedSessionState['save'] {
  const saves = versions.flatMap(({ nonce, version }) => (nonce === null ? [] : [{ nonce, version }]));
  return saves.find(({ nonce }) => nonce === asked) ?? saves.at(-1) ?? null;
}
