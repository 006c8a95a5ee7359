import { AsyncLocalStorage } from 'node:async_hooks';
import express, { type Express, type RequestHandler } from 'express';
import { badRequest } from '../errors.ts';
import type { Logger } from '../log.ts';

/** Creates an express application without its defaults. */
export function plainApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('query parser', 'simple');
  return app;
}

/**
 * Logs each request: method, path without query (queries contain tokens), status and milliseconds. Healthy answers of `…/healthz` have level
 * debug: probes ask all the time, and so does the library of everybody who types.
 */
export function accessLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const [path] = request.url.split('?', 1);
    const { method } = request;
    // A connection closes outside of its requests' contexts.
    const logged = AsyncLocalStorage.bind(() => {
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const level = path?.endsWith('/healthz') && response.statusCode === 200 ? 'debug' : 'info';
      log[level]({ method, path, status: response.statusCode, complete: response.writableEnded, ms }, 'request');
    });
    response.once('close', logged);
    next();
  };
}

/** Parts that no path of this service has, and that proxies and frameworks read differently. */
const ODD = /\/\/|\\|;|%2f|%5c|%00|%25|\/\.{1,2}(\/|$)|%2e/i;

/** Refuses ambiguous request targets and hosts before routing decodes them (RFC 9112 3.2). */
export const refuseOddTargets: RequestHandler = (request, _response, next) => {
  const [path = ''] = request.url.split('?', 1);
  if (!path.startsWith('/') || ODD.test(path))
    throw badRequest({ path: '', message: 'đường dẫn của yêu cầu không ở dạng chuẩn' });
  if (request.headersDistinct['host']?.length !== 1)
    throw badRequest({ path: '', message: 'phải có đúng một tiêu đề Host' });
  next();
};
