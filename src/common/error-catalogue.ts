/**
 * Error codes of the interface with their HTTP status and message (contract: Errors). A code is stable, a message is
 * not.
 */
export const ERRORS = {
  // Shared by the gate and DocBuilder
  bad_request: [400, 'Yêu cầu không hợp lệ.'],
  not_found: [404, 'Không tìm thấy tài nguyên được yêu cầu.'],
  file_too_large: [413, 'Tệp vượt quá dung lượng cho phép.'],
  token_expired: [401, 'Mã xác thực đã hết hạn.'],
  url_not_allowed: [422, 'Máy chủ không được phép truy cập địa chỉ này.'],
  download_failed: [422, 'Không tải được tệp từ địa chỉ đã cho.'],
  internal: [500, 'Đã xảy ra lỗi không mong muốn trên máy chủ.'],

  // DocBuilder
  unauthorized: [401, 'Thiếu khóa API hoặc khóa API không đúng.'],
  forbidden_feature: [403, 'Gói dịch vụ hiện tại không bao gồm tính năng này.'],
  gone: [410, 'Tác vụ hoặc tệp đã quá thời hạn lưu giữ.'],
  unsupported_format: [415, 'Không hỗ trợ định dạng tệp này, hoặc không chuyển được sang định dạng đã chọn.'],
  script_invalid: [422, 'Kịch bản sai cấu trúc; xem danh sách lỗi.'],
  script_too_large: [422, 'Kịch bản có quá nhiều phần tử (khối, dòng, trang chiếu) so với gói dịch vụ.'],
  script_error: [422, 'Kịch bản đúng cấu trúc nhưng có nội dung không dựng được thành tài liệu.'],
  template_error: [422, 'Mẫu tài liệu có trường viết sai, hoặc dữ liệu thiếu trường mà mẫu cần.'],
  macro_not_allowed: [422, 'Mẫu tài liệu chứa macro nên không được chấp nhận.'],
  corrupt_source: [422, 'Không đọc được tệp nguồn; tệp có thể đã bị hỏng.'],
  password_required: [422, 'Tệp được bảo vệ bằng mật khẩu; mật khẩu bị thiếu hoặc không đúng.'],
  rate_limited: [429, 'Đã vượt quá số yêu cầu cho phép, vui lòng thử lại sau.'],
  queue_full: [503, 'Hàng đợi đã đầy, vui lòng thử lại sau.'],
  pool_unavailable: [503, 'Dịch vụ tạm thời chưa sẵn sàng, vui lòng thử lại sau.'],
  timeout: [504, 'Tác vụ vượt quá thời gian cho phép và đã bị dừng.'],

  // Gate
  invalid_config: [
    400,
    'Cấu hình nhúng thiếu trường bắt buộc hoặc có trường không hợp lệ. Vui lòng báo cho quản trị viên của trang này.',
  ],
  token_required: [
    401,
    'Máy chủ yêu cầu cấu hình nhúng phải được ký bằng JWT. Vui lòng báo cho quản trị viên của trang này.',
  ],
  invalid_token: [401, 'JWT của cấu hình nhúng không hợp lệ. Vui lòng báo cho quản trị viên của trang này.'],
  embed_auth_not_configured: [
    401,
    'Máy chủ chưa có khóa để kiểm tra chữ ký của cấu hình nhúng. Vui lòng báo cho quản trị viên của trang này.',
  ],
  invalid_session_token: [401, 'Mã truy cập không khớp với phiên làm việc.'],
  origin_not_allowed: [
    403,
    'Trang web này không được phép nhúng trình soạn thảo. Vui lòng báo cho quản trị viên của trang này.',
  ],
  invalid_signature: [403, 'Chữ ký của liên kết tải xuống không đúng.'],
  connection_limit_reached: [403, 'Đã đạt giới hạn số kết nối chỉnh sửa đồng thời.'],
  link_expired: [410, 'Liên kết tải xuống đã hết hạn.'],
  version_gone: [410, 'Phiên bản này không còn được lưu trên máy chủ.'],
  unsupported_file_type: [415, 'Loại tệp này không được trình soạn thảo hỗ trợ.'],
  not_implemented: [501, 'Thao tác này chưa được hỗ trợ.'],
  editor_unavailable: [503, 'Máy chủ soạn thảo chưa sẵn sàng, vui lòng thử lại sau.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** Messages of `file_too_large`, by `detail.reason` or `detail.subject`. */
export const TOO_LARGE: Readonly<Record<string, string>> = {
  too_many_rows: 'Bảng có quá nhiều hàng so với định dạng đã chọn.',
  too_many_columns: 'Bảng có quá nhiều cột so với định dạng đã chọn.',
  too_long_cells: 'Bảng có ô chứa quá nhiều chữ so với định dạng đã chọn.',
  body: 'Nội dung JSON của yêu cầu vượt quá giới hạn cho phép.',
  output: 'Tệp kết quả vượt quá giới hạn cho phép.',
  pictures: 'Các hình ảnh của kịch bản vượt quá dung lượng cho phép.',
};

export type ErrorCode = keyof typeof ERRORS;
