import type { Express, RequestHandler } from 'express';
import { errorHandler, notFound } from '../../../src/common/http/errors.ts';
import { accessLog, plainApp } from '../../../src/common/http/plain-app.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Ask } from '../domain/ask.ts';
import { postAuth } from './auth.ts';
import { getHealthz } from './figures.ts';
import { type QuarantineHandlers, quarantineRoutes } from './quarantine.ts';
import { type WopiHandlers, wopiRoutes } from './wopi.ts';

export interface InternalDependencies extends WopiHandlers, QuarantineHandlers {
  ask: Ask;
  /** Called with each request to the WOPI host. */
  onCalled: () => void;
  log: Logger;
}

/** Creates the app that only the front and the editor reach: the proxy's question and the WOPI host. */
export function createInternalApp(deps: InternalDependencies): Express {
  const app = plainApp();
  // The route comes before the access log: it is called at every opening, and logs refusals itself.
  app.post('/svc/auth', postAuth(deps.ask));
  app.use(accessLog(deps.log));
  app.route('/svc/healthz').get(getHealthz());
  const noteCall: RequestHandler = (_request, _response, next) => {
    deps.onCalled();
    next();
  };
  app.use('/svc/wopi', noteCall, wopiRoutes(deps));
  app.use('/svc/quarantine', quarantineRoutes(deps));
  app.use(notFound);
  app.use(errorHandler(deps.log));
  return app;
}
