import type { RequestHandler } from 'express';
import type { Script } from '../../../src/common/generated/script.ts';
import type { BuildRequest } from '../../../src/common/generated/wire.ts';
import { isObject } from '../../../src/common/is-object.ts';
import { schemas, validator } from '../../../src/common/schema.ts';
import type { Work } from '../domain/jobs.ts';
import { hasPictureUrls } from '../domain/script/pictures.ts';
import { postWork, type WorkHandlers } from './work.ts';

export interface BuildHandlers extends WorkHandlers {
  /** What the plan allows and can be built; see domain/script/check.ts. */
  checkScript: (script: unknown) => Script;
  /** Makes the job; see domain/build.ts. */
  build: (script: Script) => Work;
}

/** `POST /v1/build`. */
export function postBuild(deps: BuildHandlers): RequestHandler {
  return postWork<BuildRequest>(deps, {
    check: validator('build-request.json'),
    complete: inEnvelope,
    maxJsonBytes: deps.uploads.maxBytes,
    work: ({ body }) => deps.build(deps.checkScript(body.script)),
    fetches: ({ body }) => hasPictureUrls(body.script as Script),
  });
}

const MEMBERS = Object.keys(schemas.get('script.json')?.properties ?? {});

/**
 * A script may also be the whole body: an example can then be posted as it is. Without `script`, any member of a script
 * makes the body one, so that a script in which something is missing is told what.
 */
function inEnvelope(value: unknown): unknown {
  if (!isObject(value) || Object.hasOwn(value, 'script')) return value;
  return MEMBERS.some((name) => Object.hasOwn(value, name)) ? { script: value } : value;
}
