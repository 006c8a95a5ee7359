import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

/** Calls `onIdle` with the error to answer when no byte of the request's body arrives for `ms`. */
export function watchIdle(request: IncomingMessage, ms: number, onIdle: (error: AppError) => void): { stop(): void } {
  const detail = { errors: [{ path: '', message: 'the upload stalled' }] };
  const timer = setTimeout(() => onIdle(new AppError('bad_request', detail, { status: 408 })), ms);
  const onData = (): void => void timer.refresh();
  request.on('data', onData);
  return {
    stop: () => {
      clearTimeout(timer);
      request.off('data', onData);
    },
  };
}
