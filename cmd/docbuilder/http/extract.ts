import type { RequestHandler } from 'express';
import type { MetaRequest, TextRequest, ThumbnailRequest } from '../../../src/common/generated/wire.ts';
import { validator } from '../../../src/common/schema.ts';
import type { ExtractRequest } from '../domain/extract.ts';
import type { Work } from '../domain/jobs.ts';
import type { ThumbnailOptions } from '../domain/thumbnail.ts';
import { sourceOf } from './source.ts';
import { type Arrived, postWork, SMALL_JSON, type WorkHandlers } from './work.ts';

export interface ExtractHandlers extends WorkHandlers {
  /** Make the jobs; see domain/extract.ts and domain/thumbnail.ts. */
  text: (request: ExtractRequest, format: 'json' | 'text') => Work;
  meta: (request: ExtractRequest) => Work;
  thumbnail: (request: ExtractRequest, options: ThumbnailOptions) => Work;
}

const FILES = { files: ['file'], booleans: ['async'], json: [] };
const DEFAULT_BOX = 320;
const LARGEST_BOX = 4096;

/** `POST /v1/extract/text`. */
export function postText(deps: ExtractHandlers): RequestHandler {
  return postWork<TextRequest>(deps, {
    ...usual<TextRequest>(),
    check: validator('text-request.json'),
    work: (arrived) => {
      const accepted = arrived.request.accepts(['application/json', 'text/plain']);
      return deps.text(requestOf(arrived), arrived.body.format ?? (accepted === 'text/plain' ? 'text' : 'json'));
    },
  });
}

/** `POST /v1/extract/meta`. */
export function postMeta(deps: ExtractHandlers): RequestHandler {
  return postWork<MetaRequest>(deps, {
    ...usual<MetaRequest>(),
    check: validator('meta-request.json'),
    work: (arrived) => deps.meta(requestOf(arrived)),
  });
}

/** `POST /v1/extract/thumbnail`. */
export function postThumbnail(deps: ExtractHandlers): RequestHandler {
  return postWork<ThumbnailRequest>(deps, {
    ...usual<ThumbnailRequest>(),
    check: validator('thumbnail-request.json'),
    work: (arrived) => {
      const { format = 'png', page = 1, width, height } = arrived.body;
      const other = width === undefined && height === undefined ? DEFAULT_BOX : LARGEST_BOX;
      return deps.thumbnail(requestOf(arrived), { format, page, width: width ?? other, height: height ?? other });
    },
  });
}

function usual<Body>() {
  return {
    form: { ...FILES, integers: ['page', 'width', 'height'] },
    maxJsonBytes: SMALL_JSON,
    fetches: ({ files }: Arrived<Body>) => files.size === 0,
  };
}

function requestOf(arrived: Arrived<MetaRequest>): ExtractRequest {
  const { from, password } = arrived.body;
  return { source: sourceOf(arrived, 'file'), from, password };
}
