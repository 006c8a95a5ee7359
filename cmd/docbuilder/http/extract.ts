import type { RequestHandler } from 'express';
import type { MetaRequest } from '../../../src/common/generated/wire.ts';
import type { ExtractRequest } from '../extract/extract.ts';
import type { ThumbnailOptions } from '../extract/thumbnail.ts';
import type { Work } from '../jobs/work.ts';
import { sourceOf } from './source.ts';
import { type Arrived, postWork, SMALL_JSON, type WorkHandlers } from './work.ts';

export interface ExtractHandlers extends WorkHandlers {
  text: (request: ExtractRequest, format: 'json' | 'text') => Work;
  meta: (request: ExtractRequest) => Work;
  thumbnail: (request: ExtractRequest, options: ThumbnailOptions) => Work;
}

const USUAL = {
  files: ['file'],
  maxJsonBytes: SMALL_JSON,
  fetches: ({ files }: Pick<Arrived<unknown>, 'files'>) => files.size === 0,
};
const DEFAULT_BOX = 320;
const LARGEST_BOX = 4096;

/** `POST /v1/extract/text`. */
export function postText(deps: ExtractHandlers): RequestHandler {
  return postWork(deps, {
    ...USUAL,
    kind: 'text',
    work: (arrived) => {
      const accepted = arrived.request.accepts(['application/json', 'text/plain']);
      return deps.text(requestOf(arrived), arrived.body.format ?? (accepted === 'text/plain' ? 'text' : 'json'));
    },
  });
}

/** `POST /v1/extract/meta`. */
export function postMeta(deps: ExtractHandlers): RequestHandler {
  return postWork(deps, {
    ...USUAL,
    kind: 'meta',
    work: (arrived) => deps.meta(requestOf(arrived)),
  });
}

/** `POST /v1/extract/thumbnail`. */
export function postThumbnail(deps: ExtractHandlers): RequestHandler {
  return postWork(deps, {
    ...USUAL,
    kind: 'thumbnail',
    work: (arrived) => {
      const { format = 'png', page = 1, width, height } = arrived.body;
      const other = width === undefined && height === undefined ? DEFAULT_BOX : LARGEST_BOX;
      return deps.thumbnail(requestOf(arrived), { format, page, width: width ?? other, height: height ?? other });
    },
  });
}

function requestOf(arrived: Arrived<MetaRequest>): ExtractRequest {
  const { from, password } = arrived.body;
  return { source: sourceOf(arrived, 'file'), from, password };
}
