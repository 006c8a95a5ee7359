/** Sentences that users may see. */
export interface Texts {
  frameTitle: string;
  loading: string;
  loaded: string;
  networkError: string;
  loadFailed: string;
  saveFailed: string;
  saveTimeout: string;
  limitReached: string;
  ended: string;
  /** What the editor shows by itself, by its own names for it. */
  editorMessages: Readonly<Record<string, string>>;
}

const VIETNAMESE: Texts = {
  frameTitle: 'Trình soạn thảo tài liệu',
  loading: 'Đang mở tài liệu…',
  loaded: 'Tài liệu đã mở.',
  networkError: 'Không kết nối được với máy chủ soạn thảo.',
  loadFailed: 'Không mở được tài liệu.',
  saveFailed: 'Không lưu được tài liệu.',
  saveTimeout: 'Máy chủ chưa xác nhận đã lưu tài liệu trong 30 giây.',
  limitReached: 'Đã đạt giới hạn số kết nối chỉnh sửa đồng thời nên tài liệu được mở ở chế độ chỉ đọc.',
  ended: 'Kết nối soạn thảo đã bị ngắt.',
  editorMessages: {
    savefailed: 'Chưa lưu được tài liệu vào máy chủ. Hãy giữ trang này mở và thử lại.',
    savetoolarge: 'Tài liệu vượt quá dung lượng cho phép nên không lưu được. Hãy tải về một bản sao.',
    saveunauthorized: 'Máy chủ không nhận bản lưu từ phiên này. Hãy tải về một bản sao rồi mở lại tài liệu.',
    websocketproxyfailure: 'Không kết nối được với trình soạn thảo, hoặc đã hết chỗ chỉnh sửa. Vui lòng thử lại sau.',
  },
};

const ENGLISH: Texts = {
  frameTitle: 'Document editor',
  loading: 'Opening the document…',
  loaded: 'The document is open.',
  networkError: 'The editing server cannot be reached.',
  loadFailed: 'The document could not be opened.',
  saveFailed: 'The document could not be saved.',
  saveTimeout: 'The server has not confirmed within 30 seconds that the document is stored.',
  limitReached: 'All places for editing are taken, so the document is open for reading.',
  ended: 'The editing connection has ended.',
  editorMessages: {
    savefailed: 'The document is not stored on the server yet. Keep this page open and try again.',
    savetoolarge: 'The document is too large to be stored. Please download a copy.',
    saveunauthorized:
      'The server takes no saves from this session. Please download a copy and open the document again.',
    websocketproxyfailure: 'The editor cannot be reached, or all places for editing are taken. Please try again later.',
  },
};

/**
 * @param lang interface language; everything but English is told in Vietnamese, as the server's messages are, except
 * what the editor can say in that language by itself
 */
export function textsFor(lang: string): Texts {
  if (/^en([-_]|$)/i.test(lang)) return ENGLISH;
  return /^vi([-_]|$)/i.test(lang) ? VIETNAMESE : { ...VIETNAMESE, editorMessages: {} };
}
