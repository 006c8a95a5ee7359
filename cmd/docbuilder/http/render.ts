import type { RequestHandler } from 'express';
import type { Work } from '../jobs/work.ts';
import type { RenderRequest } from '../template/render.ts';
import { DATA } from './bodies.ts';
import { sourceOf } from './source.ts';
import { postWork, type WorkHandlers } from './work.ts';

export interface RenderHandlers extends WorkHandlers {
  render: (request: RenderRequest) => Work;
}

/** `POST /v1/template/render`. */
export function postRender(deps: RenderHandlers): RequestHandler {
  return postWork(deps, {
    kind: 'render',
    files: ['template', DATA],
    maxJsonBytes: deps.uploads.maxBytes,
    work: (arrived) => {
      const { data, to = 'docx', options = {} } = arrived.body;
      return deps.render({ source: sourceOf(arrived, 'template'), data, to, missing: options.missing ?? 'empty' });
    },
    // A template with macros is refused at once (contract: Errors), so it is always fetched first.
    fetches: () => false,
  });
}
