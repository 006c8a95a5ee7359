import type { Express, RequestHandler } from 'express';
import type { GateLimits, GateStatus } from '../../../src/common/generated/wire.ts';
import { errorHandler, methodNotAllowed, notFound } from '../../../src/common/http/errors.ts';
import { accessLog, plainApp, refuseOddTargets } from '../../../src/common/http/plain-app.ts';
import type { Logger } from '../../../src/common/log.ts';
import { type BrowserFiles, libraryRoutes } from './api-js.ts';
import { cors } from './cors.ts';
import { type DemoHandlers, demoRoutes } from './demo.ts';
import { type EmbedHandlers, embedRoutes } from './embed.ts';
import { getHealthz, getHome, sendFigures } from './figures.ts';

export interface PublicDependencies extends EmbedHandlers {
  status: () => Promise<GateStatus>;
  limits: () => GateLimits;
  browser: BrowserFiles;
  demo: DemoHandlers;
  log: Logger;
}

/** Creates the app that everybody reaches through the front (contract: Gate, embedding and operations). */
export function createPublicApp(deps: PublicDependencies): Express {
  const app = plainApp();
  // CORS comes before all that may refuse a request: a page has to read refusals, too.
  app.use(accessLog(deps.log), cors(deps), refuseOddTargets);
  const pages: Record<string, RequestHandler> = {
    '/svc/': getHome(deps.demo),
    '/svc/healthz': getHealthz(),
    '/svc/status': sendFigures(deps.status),
    '/svc/limits': sendFigures(deps.limits),
    ...libraryRoutes(deps.browser),
  };
  for (const [path, get] of Object.entries(pages)) {
    app
      .route(path)
      .get(get)
      .all(methodNotAllowed('GET', 'HEAD', 'OPTIONS'));
  }
  app.use('/svc/embed', embedRoutes(deps));
  app.use('/svc/demo', demoRoutes(deps.demo));
  app.use(notFound);
  app.use(errorHandler(deps.log));
  return app;
}
