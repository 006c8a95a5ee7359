import type { RequestHandler } from 'express';
import type { ConvertRequest as Body } from '../../../src/common/generated/wire.ts';
import { validator } from '../../../src/common/schema.ts';
import type { ConvertRequest } from '../domain/convert.ts';
import type { Work } from '../domain/jobs.ts';
import { sourceOf } from './source.ts';
import { postWork, SMALL_JSON, type WorkHandlers } from './work.ts';

export interface ConvertHandlers extends WorkHandlers {
  /** Makes the job of a conversion; see domain/convert.ts. */
  convert: (request: ConvertRequest) => Work;
}

/** `POST /v1/convert`. */
export function postConvert(deps: ConvertHandlers): RequestHandler {
  return postWork<Body>(deps, {
    check: validator('convert-request.json'),
    form: {
      files: ['file'],
      booleans: ['async', 'options.pdfa'],
      integers: ['options.image_resolution'],
      json: ['options'],
    },
    maxJsonBytes: SMALL_JSON,
    work: (arrived) => {
      const { to, from, options = {} } = arrived.body;
      return deps.convert({ source: sourceOf(arrived, 'file'), to, from, options });
    },
    fetches: ({ files }) => files.size === 0,
  });
}
