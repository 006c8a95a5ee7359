import type { Express, RequestHandler } from 'express';
import { errorHandler, methodNotAllowed, notFound } from '../../../src/common/http/errors.ts';
import { accessLog, plainApp, refuseOddTargets } from '../../../src/common/http/plain-app.ts';
import { toStorageError } from '../jobs/job-store.ts';
import { type AdmissionHandlers, admit, countRequest } from './admission.ts';
import { type AuthHandlers, authenticate } from './auth.ts';
import { type EndpointHandlers, workEndpoints } from './endpoints.ts';
import { getFile, getJob, type JobHandlers } from './jobs.ts';
import { type PassOnHandlers, passOn } from './pass-on.ts';
import { type FigureHandlers, getFormats, getLimits, getStatus, serveSchema } from './status.ts';

export type HttpDependencies = AuthHandlers &
  EndpointHandlers &
  AdmissionHandlers &
  JobHandlers &
  PassOnHandlers &
  FigureHandlers;

/** DocBuilder's routing table (contract: DocBuilder endpoints). */
export function createHttpApp(deps: HttpDependencies): Express {
  const { log, isLeaving } = deps;
  const app = plainApp();
  app.use(accessLog(log), refuseOddTargets, (_request, response, next) => {
    // A stop is near: clients open a new connection for their next request.
    if (isLeaving()) response.setHeader('Connection', 'close');
    next();
  });
  const get = (path: string, ...handlers: RequestHandler[]): void => {
    app
      .route(path)
      .get(...handlers)
      .all(methodNotAllowed('GET', 'HEAD'));
  };
  const withKey = authenticate(deps);
  get('/v1/status', getStatus(deps));
  get('/v1/openapi.json', serveSchema('openapi/docbuilder.json', 'application/json'));
  get('/v1/script.schema.json', serveSchema('script.json', 'application/schema+json'));
  get('/v1/formats', withKey, getFormats());
  get('/v1/limits', withKey, getLimits(deps));
  const [passing, counting] = [passOn(deps), countRequest(deps)];
  for (const [path, post] of Object.entries(workEndpoints(deps))) {
    app.route(path).post(withKey, admit(deps, path), passing, counting, post).all(methodNotAllowed('POST'));
  }
  get('/v1/jobs/:id', withKey, getJob(deps));
  get('/v1/files/:id', withKey, getFile(deps));

  app.use(notFound);
  const handleError = errorHandler(log);
  app.use(((error, request, response, next) =>
    handleError(toStorageError(error), request, response, next)) satisfies typeof handleError);
  return app;
}
