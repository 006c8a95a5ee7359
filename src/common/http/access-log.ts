import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import type { Logger } from '../log.ts';

/** One line a request: method, path without its query (tokens travel in queries), status and milliseconds. */
export function accessLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const [path] = request.url.split('?', 1);
    const { method } = request;
    // A connection closes outside of its requests' contexts.
    const logged = AsyncLocalStorage.bind(() => {
      const ms = Math.round((performance.now() - started) * 10) / 10;
      log.info({ method, path, status: response.statusCode, complete: response.writableEnded, ms }, 'request');
    });
    response.once('close', logged);
    next();
  };
}
