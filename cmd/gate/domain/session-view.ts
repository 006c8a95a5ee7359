import { iso } from '../../../src/common/clock.ts';
import type { EmbedSession } from '../../../src/common/generated/wire.ts';
import type { AdmissionAnswer } from './counting.ts';
import type { DocumentRecord, SessionRecord } from './model.ts';
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
