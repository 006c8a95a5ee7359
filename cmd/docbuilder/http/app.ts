import express, { type ErrorRequestHandler, type Express } from 'express';
import { accessLog } from '../../../src/common/http/access-log.ts';
import { errorHandler, methodNotAllowed, notFound } from '../../../src/common/http/errors.ts';
import { refuseOddTargets } from '../../../src/common/http/raw-target.ts';
import type { Logger } from '../../../src/common/log.ts';
import { orDiskFull } from '../domain/disk-full.ts';
import { type Authentication, authenticate } from './authenticate.ts';
import { type ConvertHandlers, postConvert } from './convert.ts';
import { type FigureHandlers, getFormats, getLimits, getOpenapi, getStatus } from './figures.ts';
import { getFile, getJob, type JobHandlers } from './jobs.ts';
import { countRequest, type RateHandlers } from './rate.ts';

export type HttpDependencies = Authentication &
  ConvertHandlers &
  JobHandlers &
  RateHandlers &
  FigureHandlers & { log: Logger };

/** DocBuilder's routing table (contract: DocBuilder endpoints). */
export function createHttpApp(deps: HttpDependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('query parser', 'simple');
  app.use(accessLog(deps.log), refuseOddTargets);

  const withKey = authenticate(deps);
  app.route('/v1/status').get(getStatus(deps)).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/openapi.json').get(getOpenapi()).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/formats').get(withKey, getFormats()).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/limits').get(withKey, getLimits(deps)).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/convert').post(withKey, countRequest(deps), postConvert(deps)).all(methodNotAllowed('POST'));
  app.route('/v1/jobs/:id').get(withKey, getJob(deps)).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/files/:id').get(withKey, getFile(deps)).all(methodNotAllowed('GET', 'HEAD'));

  app.use(notFound);
  app.use(fullDisk);
  app.use(errorHandler(deps.log));
  return app;
}

/** A disk that fills up, wherever it was noticed, is one answer. */
const fullDisk: ErrorRequestHandler = (error, _request, _response, next) => next(orDiskFull(error));
