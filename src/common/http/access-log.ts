import type { RequestHandler } from 'express';
import type { Logger } from '../log.ts';

/** One line a request: method, path without its query (tokens travel in queries), status, bytes and milliseconds. */
export function accessLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const [path] = request.url.split('?', 1);
    const { method } = request;
    response.once('close', () => {
      const ms = Math.round((performance.now() - started) * 10) / 10;
      log.info({ method, path, status: response.statusCode, complete: response.writableFinished, ms }, 'request');
    });
    next();
  };
}
