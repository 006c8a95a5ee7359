import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { accessLog } from '../../../src/common/http/access-log.ts';
import { errorHandler, methodNotAllowed, notFound } from '../../../src/common/http/errors.ts';
import { plainApp } from '../../../src/common/http/plain-app.ts';
import { refuseOddTargets } from '../../../src/common/http/raw-target.ts';
import type { Logger } from '../../../src/common/log.ts';
import { type AuthHandlers, authenticate } from './auth.ts';
import { type EndpointHandlers, workEndpoints } from './endpoints.ts';
import { getFile, getJob, type JobHandlers } from './jobs.ts';
import { type PlanHandlers, whenInPlan } from './plan.ts';
import { countRequest, type RateHandlers } from './rate-limit.ts';
import { type Figures, getFormats, getLimits, getStatus, serveSchema } from './status.ts';

export type HttpDependencies = AuthHandlers &
  EndpointHandlers &
  PlanHandlers &
  JobHandlers &
  RateHandlers & { figures: Figures; log: Logger };

/** DocBuilder's routing table (contract: DocBuilder endpoints). */
export function createHttpApp(deps: HttpDependencies): Express {
  const { figures, log } = deps;
  const app = plainApp();
  app.use(accessLog(log), refuseOddTargets);
  const get = (path: string, ...handlers: RequestHandler[]): void => {
    app
      .route(path)
      .get(...handlers)
      .all(methodNotAllowed('GET', 'HEAD'));
  };
  const withKey = authenticate(deps);
  get('/v1/status', getStatus(figures));
  get('/v1/openapi.json', serveSchema('openapi/docbuilder.json', 'application/json'));
  get('/v1/script.schema.json', serveSchema('script.json', 'application/schema+json'));
  get('/v1/formats', withKey, getFormats());
  get('/v1/limits', withKey, getLimits(figures));
  for (const [path, post] of Object.entries(workEndpoints(deps))) {
    app.route(path).post(withKey, whenInPlan(deps, path), countRequest(deps), post).all(methodNotAllowed('POST'));
  }
  get('/v1/jobs/:id', withKey, getJob(deps));
  get('/v1/files/:id', withKey, getFile(deps));

  app.use(notFound);
  app.use(fullDisk);
  app.use(errorHandler(log));
  return app;
}

/** A disk that fills up, wherever it was noticed, is one answer. */
const fullDisk: ErrorRequestHandler = (error, _request, _response, next) => next(orDiskFull(error));
