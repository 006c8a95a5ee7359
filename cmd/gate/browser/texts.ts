/** Sentences that users may see. */
export type Texts = Omit<typeof VIETNAMESE, 'editorMessages'> & { editorMessages: Readonly<Record<string, string>> };

const VIETNAMESE = {
  frameTitle: 'Trình soạn thảo tài liệu',
  loading: 'Đang mở tài liệu…',
  loaded: 'Tài liệu đã mở.',
  networkError: 'Không kết nối được với máy chủ.',
  loadFailed: 'Không mở được tài liệu.',
  saveFailed: 'Không lưu được tài liệu.',
  saveTimeout: 'Sau 30 giây, máy chủ vẫn chưa xác nhận đã lưu tài liệu.',
  limitReached: 'Đã đạt giới hạn số kết nối chỉnh sửa đồng thời nên tài liệu được mở ở chế độ chỉ đọc.',
  ended: 'Kết nối chỉnh sửa đã bị ngắt.',
  /** Over a page that has lost its document. */
  reopening: 'Kết nối đã bị ngắt. Tài liệu sẽ tự mở lại ngay khi kết nối được; vui lòng chờ rồi hãy gõ tiếp.',
  changesLost: 'Những thay đổi sau lần lưu gần nhất có thể đã mất. Vui lòng kiểm tra lại tài liệu.',
  /** Messages that the editor itself shows, by the editor's own names for them. */
  editorMessages: {
    savefailed: 'Chưa lưu được tài liệu lên máy chủ. Đừng đóng trang này và hãy thử lại.',
    savetoolarge: 'Tài liệu vượt quá dung lượng cho phép nên không lưu được. Hãy tải xuống một bản sao.',
    saveunauthorized: 'Máy chủ không nhận bản lưu từ phiên này. Hãy tải xuống một bản sao rồi mở lại tài liệu.',
    websocketproxyfailure:
      'Không kết nối được với trình soạn thảo, hoặc đã đạt giới hạn số kết nối chỉnh sửa đồng thời. Vui lòng thử lại sau.',
  },
};

const ENGLISH: typeof VIETNAMESE = {
  frameTitle: 'Document editor',
  loading: 'Opening the document…',
  loaded: 'The document is open.',
  networkError: 'The server cannot be reached.',
  loadFailed: 'The document could not be opened.',
  saveFailed: 'The document could not be saved.',
  saveTimeout: 'The server did not confirm within 30 seconds that the document was saved.',
  limitReached: 'The limit of concurrent editing connections has been reached, so the document was opened read-only.',
  ended: 'The editing connection was lost.',
  reopening:
    'The connection was lost. The document reopens by itself as soon as possible; please wait before you type.',
  changesLost: 'Changes made after the last save may be lost. Please check the document.',
  editorMessages: {
    savefailed: 'The document has not been saved to the server yet. Keep this page open and try again.',
    savetoolarge: 'The document is too large to be saved. Please download a copy.',
    saveunauthorized:
      'The server does not accept saves from this session. Please download a copy and open the document again.',
    websocketproxyfailure:
      'The editor cannot be reached, or the limit of concurrent editing connections has been reached. Please try again later.',
  },
};

/**
 * @param lang interface language. Languages other than English get Vietnamese, as in the server's messages; the editor's
 * own messages are left to the editor, which may have them in that language
 */
export function textsFor(lang: string): Texts {
  if (/^en([-_]|$)/i.test(lang)) return ENGLISH;
  return /^vi([-_]|$)/i.test(lang) ? VIETNAMESE : { ...VIETNAMESE, editorMessages: {} };
}

/** Returns the language of a sentence that is shown: the server's own are in Vietnamese, whatever was asked for. */
export function getLanguage(sentence: string): 'vi' | 'en' {
  return Object.values(ENGLISH).includes(sentence) ? 'en' : 'vi';
}
