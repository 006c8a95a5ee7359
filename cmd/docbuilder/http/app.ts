import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { accessLog } from '../../../src/common/http/access-log.ts';
import { errorHandler, methodNotAllowed, notFound } from '../../../src/common/http/errors.ts';
import { plainApp } from '../../../src/common/http/plain-app.ts';
import { refuseOddTargets } from '../../../src/common/http/raw-target.ts';
import type { Logger } from '../../../src/common/log.ts';
import { type Authentication, authenticate } from './authenticate.ts';
import { type BuildHandlers, postBuild } from './build.ts';
import { type ConvertHandlers, postConvert } from './convert.ts';
import { type ExtractHandlers, postMeta, postText, postThumbnail } from './extract.ts';
import { type FigureHandlers, getFormats, getLimits, getStatus, serveSchema } from './figures.ts';
import { getFile, getJob, type JobHandlers } from './jobs.ts';
import { type PlanHandlers, whenInPlan } from './plan.ts';
import { countRequest, type RateHandlers } from './rate.ts';
import { postRender, type RenderHandlers } from './render.ts';

export type HttpDependencies = Authentication &
  ConvertHandlers &
  BuildHandlers &
  RenderHandlers &
  ExtractHandlers &
  PlanHandlers &
  JobHandlers &
  RateHandlers &
  FigureHandlers & { log: Logger };

/** DocBuilder's routing table (contract: DocBuilder endpoints). */
export function createHttpApp(deps: HttpDependencies): Express {
  const app = plainApp();
  app.use(accessLog(deps.log), refuseOddTargets);

  const withKey = authenticate(deps);
  app.route('/v1/status').get(getStatus(deps)).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/openapi.json').get(serveSchema('openapi/docbuilder.json')).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/script.schema.json').get(serveSchema('script.json')).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/formats').get(withKey, getFormats()).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/limits').get(withKey, getLimits(deps)).all(methodNotAllowed('GET', 'HEAD'));
  const work: Record<string, RequestHandler> = {
    '/v1/convert': postConvert(deps),
    '/v1/build': postBuild(deps),
    '/v1/template/render': postRender(deps),
    '/v1/extract/text': postText(deps),
    '/v1/extract/meta': postMeta(deps),
    '/v1/extract/thumbnail': postThumbnail(deps),
  };
  for (const [path, post] of Object.entries(work)) {
    app.route(path).post(withKey, whenInPlan(deps, path), countRequest(deps), post).all(methodNotAllowed('POST'));
  }
  app.route('/v1/jobs/:id').get(withKey, getJob(deps)).all(methodNotAllowed('GET', 'HEAD'));
  app.route('/v1/files/:id').get(withKey, getFile(deps)).all(methodNotAllowed('GET', 'HEAD'));

  app.use(notFound);
  app.use(fullDisk);
  app.use(errorHandler(deps.log));
  return app;
}

/** A disk that fills up, wherever it was noticed, is one answer. */
const fullDisk: ErrorRequestHandler = (error, _request, _response, next) => next(orDiskFull(error));
