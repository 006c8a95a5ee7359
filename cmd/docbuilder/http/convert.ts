import type { RequestHandler } from 'express';
import type { ConvertRequest } from '../convert/convert.ts';
import type { Work } from '../jobs/work.ts';
import { sourceOf } from './source.ts';
import { postWork, SMALL_JSON, type WorkHandlers } from './work.ts';

export interface ConvertHandlers extends WorkHandlers {
  convert: (request: ConvertRequest) => Work;
}

/** `POST /v1/convert`. */
export function postConvert(deps: ConvertHandlers): RequestHandler {
  return postWork(deps, {
    kind: 'convert',
    files: ['file'],
    maxJsonBytes: SMALL_JSON,
    work: (arrived) => {
      const { to, from, options = {} } = arrived.body;
      return deps.convert({ source: sourceOf(arrived, 'file'), to, from, options });
    },
    fetches: ({ files }) => files.size === 0,
  });
}
