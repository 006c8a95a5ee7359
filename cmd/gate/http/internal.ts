import type { Express } from 'express';
import { accessLog } from '../../../src/common/http/access-log.ts';
import { errorHandler, notFound } from '../../../src/common/http/errors.ts';
import { plainApp } from '../../../src/common/http/plain-app.ts';
import type { Logger } from '../../../src/common/log.ts';
import { getHealthz } from './figures.ts';
import { limitPage } from './limit-page.ts';
import { type QuarantineHandlers, quarantineRoutes } from './quarantine.ts';
import { type WopiHandlers, wopiRoutes } from './wopi.ts';

export interface InternalDependencies extends WopiHandlers, QuarantineHandlers {
  /** Told of each request to the WOPI host. */
  onCalled: () => void;
  log: Logger;
}

/** What only front and editor reach: the WOPI host; the proxy's question stands before it (`authShortcut`). */
export function createInternalApp(deps: InternalDependencies): Express {
  const app = plainApp();
  app.use(accessLog(deps.log));
  app.route('/svc/healthz').get(getHealthz());
  app.route('/svc/limit-page').get(limitPage());
  app.use('/svc/wopi', (_request, _response, next) => {
    deps.onCalled();
    next();
  });
  app.use('/svc/wopi', wopiRoutes(deps));
  app.use('/svc/quarantine', quarantineRoutes(deps));
  app.use(notFound);
  app.use(errorHandler(deps.log));
  return app;
}
