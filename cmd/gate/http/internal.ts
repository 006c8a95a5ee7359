import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { accessLog } from '../../../src/common/http/access-log.ts';
import { errorHandler, notFound } from '../../../src/common/http/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import { type AuthHandlers, postAuth } from './auth.ts';
import { getHealthz } from './figures.ts';
import { limitPage } from './limit-page.ts';
import { plainApp } from './public.ts';
import { type WopiHandlers, wopiRoutes } from './wopi.ts';

export interface InternalDependencies extends WopiHandlers, AuthHandlers {
  log: Logger;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const AUTH = '/svc/auth';

/** What only front and editor reach: the proxy's question, and the WOPI host. */
export function createInternalApp(deps: InternalDependencies): Handler {
  const app: Express = plainApp();
  app.use(accessLog(deps.log));
  app.route('/svc/healthz').get(getHealthz());
  app.route('/svc/limit-page').get(limitPage());
  app.use('/svc/wopi', wopiRoutes(deps));
  app.use(notFound);
  app.use(errorHandler(deps.log));
  const auth = postAuth(deps);
  // Asked at every opening, it stands before the framework.
  return (request, response) => (request.method === 'POST' && request.url === AUTH ? auth : app)(request, response);
}
