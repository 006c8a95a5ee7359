import type { Express } from 'express';
import { accessLog } from '../../../src/common/http/access-log.ts';
import { errorHandler, methodNotAllowed, notFound } from '../../../src/common/http/errors.ts';
import { plainApp } from '../../../src/common/http/plain-app.ts';
import { refuseOddTargets } from '../../../src/common/http/raw-target.ts';
import type { Logger } from '../../../src/common/log.ts';
import { type BrowserFiles, getApiJs, getApiTypes } from './api-js.ts';
import { cors } from './cors.ts';
import { type DemoHandlers, demoRoutes } from './demo.ts';
import { type EmbedHandlers, embedRoutes } from './embed.ts';
import { type FigureHandlers, getHealthz, getLimits, getStatus } from './figures.ts';
import { getHome } from './home.ts';

export interface PublicDependencies extends EmbedHandlers, FigureHandlers {
  browser: BrowserFiles;
  demo: DemoHandlers;
  log: Logger;
}

/** What everybody reaches of the gate, through the front (contract: Gate, embedding and operations). */
export function createPublicApp(deps: PublicDependencies): Express {
  const app = plainApp();
  // Before all that may refuse a request: a page is to read refusals, too.
  app.use(accessLog(deps.log), cors(deps), refuseOddTargets);
  app
    .route('/svc/')
    .get(getHome(deps.demo))
    .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  app
    .route('/svc/healthz')
    .get(getHealthz())
    .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  app
    .route('/svc/status')
    .get(getStatus(deps))
    .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  app
    .route('/svc/limits')
    .get(getLimits(deps))
    .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  app
    .route('/svc/api.js')
    .get(getApiJs(deps.browser))
    .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  app
    .route('/svc/api.d.ts')
    .get(getApiTypes(deps.browser))
    .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  app.use('/svc/embed', embedRoutes(deps));
  app.use('/svc/demo', demoRoutes(deps.demo));
  app.use(notFound);
  app.use(errorHandler(deps.log));
  return app;
}
