import type { RequestHandler } from 'express';
import type { Work } from '../jobs/work.ts';
import type { BuildTask } from '../script/build.ts';
import { postWork, type WorkHandlers } from './work.ts';

export interface BuildHandlers extends WorkHandlers {
  build: (task: BuildTask) => Work;
}

/** `POST /v1/build`. */
export function postBuild(deps: BuildHandlers): RequestHandler {
  return postWork(deps, {
    kind: 'build',
    maxJsonBytes: deps.uploads.maxBytes,
    work: ({ body, text }) => deps.build({ text, script: body.script }),
    fetches: ({ body }) => body.script.links.length > 0,
  });
}
