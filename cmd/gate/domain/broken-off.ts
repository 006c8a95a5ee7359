import { AppError } from '../../../src/common/errors.ts';

/** Content that ended before all of it had arrived; what went wrong is its sender's or the network's. */
export class BrokenOff extends AppError {
  static stalled(): BrokenOff {
    return new BrokenOff('bad_request', mistake('nội dung ngừng được gửi'), { status: 408 });
  }

  /** An error of the content's stream; one that already has a code keeps it. */
  static from(error: Error): AppError {
    if (error instanceof AppError) return error;
    return new BrokenOff('bad_request', mistake('nội dung bị ngắt giữa chừng'), { cause: error });
  }
}

function mistake(message: string): { errors: object[] } {
  return { errors: [{ path: '', message }] };
}
