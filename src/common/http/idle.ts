import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

interface BodyTimes {
  /** Milliseconds without a byte. */
  idleMs: number;
  /** Milliseconds for the whole body; by default the server's limit for a request holds. */
  allMs?: number | undefined;
}

/** Calls `onLate` with the error to answer when a request's body does not arrive in time. */
export function watchBody(
  request: IncomingMessage,
  { idleMs, allMs }: BodyTimes,
  onLate: (error: AppError) => void,
): { stop(): void } {
  const late = (message: string) => () =>
    onLate(new AppError('bad_request', { errors: [{ path: '', message }] }, { status: 408 }));
  const lateByIdling = late('dữ liệu ngừng được gửi lên');
  let look: NodeJS.Immediate | undefined;
  // A process that was busy first reads what has arrived meanwhile; a body that nobody takes now may wait.
  const idle = setTimeout(() => {
    look = setImmediate(() => (request.isPaused() ? idle.refresh() : lateByIdling()));
  }, idleMs);
  const all = allMs === undefined ? undefined : setTimeout(late('dữ liệu được gửi lên quá chậm'), allMs);
  const onData = (): void => {
    clearImmediate(look);
    idle.refresh();
  };
  request.on('data', onData);
  return {
    stop: () => {
      clearTimeout(idle);
      clearImmediate(look);
      clearTimeout(all);
      request.off('data', onData);
    },
  };
}
