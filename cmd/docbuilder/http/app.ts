import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { errorHandler, methodNotAllowed, notFound } from '../../../src/common/http/errors.ts';
import { accessLog, plainApp, refuseOddTargets } from '../../../src/common/http/plain-app.ts';
import { orStorageAway } from '../jobs/job-store.ts';
import { type AdmissionHandlers, countRequest, keepUnderWay, whenInPlan, whenReady } from './admission.ts';
import { type AuthHandlers, authenticate } from './auth.ts';
import { type EndpointHandlers, workEndpoints } from './endpoints.ts';
import { getFile, getJob, type JobHandlers } from './jobs.ts';
import { type PassOnHandlers, passOn } from './pass-on.ts';
import { type Figures, getFormats, getLimits, getStatus, serveSchema } from './status.ts';

export type HttpDependencies = AuthHandlers &
  EndpointHandlers &
  AdmissionHandlers &
  JobHandlers &
  PassOnHandlers & { figures: Figures };

/** DocBuilder's routing table (contract: DocBuilder endpoints). */
export function createHttpApp(deps: HttpDependencies): Express {
  const { figures, log, isLeaving } = deps;
  const app = plainApp();
  app.use(accessLog(log), refuseOddTargets, endConnections(isLeaving));
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
  const admit = [whenReady(deps), passOn(deps), keepUnderWay(deps), countRequest(deps)];
  for (const [path, post] of Object.entries(workEndpoints(deps))) {
    app
      .route(path)
      .post(withKey, whenInPlan(deps, path), ...admit, post)
      .all(methodNotAllowed('POST'));
  }
  get('/v1/jobs/:id', withKey, getJob(deps));
  get('/v1/files/:id', withKey, getFile(deps));

  app.use(notFound);
  app.use(storageTrouble);
  app.use(errorHandler(log));
  return app;
}

/** Has clients close their connections, rather than send a next request on one that is about to end. */
function endConnections(isLeaving: () => boolean): RequestHandler {
  return (_request, response, next) => {
    if (isLeaving()) response.setHeader('Connection', 'close');
    next();
  };
}

/** A disk that fills up, or a storage that is away, is one answer each, wherever it was noticed. */
const storageTrouble: ErrorRequestHandler = (error, _request, _response, next) =>
  next(orStorageAway(orDiskFull(error)));
