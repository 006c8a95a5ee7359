import type { RequestHandler } from 'express';
import { badRequest } from '../../../src/common/errors.ts';
import type { MetaRequest } from '../../../src/common/generated/wire.ts';
import { convertWork } from '../convert/convert.ts';
import { type ExtractRequest, metaWork, textWork, thumbnailWork } from '../extract/extract.ts';
import { getContentType } from '../formats.ts';
import { buildWork } from '../script/build.ts';
import type { SourceFile } from '../source/sources.ts';
import { renderWork } from '../template/render.ts';
import { DATA } from './bodies.ts';
import { type Arrived, postWork, type WorkHandlers } from './work.ts';

export interface EndpointHandlers extends WorkHandlers {
  /** Dependencies of the kinds of work. */
  tools: Parameters<typeof textWork>[2] & Parameters<typeof renderWork>[1] & Parameters<typeof buildWork>[1];
}

const DEFAULT_BOX = 320;
const LARGEST_BOX = 4096;
/** With a charset, as a client may name it: it also matches one that names none. */
const [JSON_TYPE, PLAIN_TEXT] = [getContentType('json'), getContentType('txt')];

/** The source is a file of a form, or a `url` in a small JSON body. */
const ONE_SOURCE = {
  files: ['file'],
  maxJsonBytes: () => 1024 * 1024,
  fetches: ({ files }: Pick<Arrived<unknown>, 'files'>) => files.size === 0,
};

/** The handlers of all endpoints that take work, by path (contract: DocBuilder endpoints). */
export function workEndpoints(deps: EndpointHandlers): Record<string, RequestHandler> {
  const { tools, uploads } = deps;
  const { maxBytes } = uploads;
  return {
    '/v1/convert': postWork(deps, {
      ...ONE_SOURCE,
      kind: 'convert',
      work: (arrived) => {
        const { to, from, options = {} } = arrived.body;
        return convertWork({ source: parseSource(arrived, 'file'), to, from, options }, tools);
      },
    }),
    '/v1/build': postWork(deps, {
      kind: 'build',
      maxJsonBytes: maxBytes,
      work: ({ body, text }) => buildWork({ text, script: body.script }, tools),
      fetches: ({ body }) => body.script.links.length > 0,
    }),
    '/v1/template/render': postWork(deps, {
      kind: 'render',
      files: ['template', DATA],
      maxJsonBytes: maxBytes,
      work: (arrived) => {
        const { data, to = 'docx', options = {} } = arrived.body;
        const source = parseSource(arrived, 'template');
        return renderWork({ source, data, to, missing: options.missing ?? 'empty' }, tools);
      },
      // A template with macros is refused at once (contract: Errors), so it is fetched before the 202.
      fetches: () => false,
    }),
    '/v1/extract/text': postWork(deps, {
      ...ONE_SOURCE,
      kind: 'text',
      work: (arrived) => {
        const accepted = arrived.request.accepts([JSON_TYPE, PLAIN_TEXT]);
        const format = arrived.body.format ?? (accepted === PLAIN_TEXT ? 'text' : 'json');
        return textWork(toExtractRequest(arrived), format, tools);
      },
    }),
    '/v1/extract/meta': postWork(deps, {
      ...ONE_SOURCE,
      kind: 'meta',
      work: (arrived) => metaWork(toExtractRequest(arrived), tools),
    }),
    '/v1/extract/thumbnail': postWork(deps, {
      ...ONE_SOURCE,
      kind: 'thumbnail',
      work: (arrived) => {
        const { format = 'png', page = 1, width, height } = arrived.body;
        const other = width === undefined && height === undefined ? DEFAULT_BOX : LARGEST_BOX;
        const box = { width: width ?? other, height: height ?? other };
        return thumbnailWork(toExtractRequest(arrived), { format, page, ...box }, tools);
      },
    }),
  };
}

function toExtractRequest(arrived: Arrived<MetaRequest>): ExtractRequest {
  const { from, password } = arrived.body;
  return { source: parseSource(arrived, 'file'), from, password };
}

/** Returns a request's document: the file of a form, or the `url` of a JSON body. @throws {AppError} `bad_request` */
function parseSource(
  { body, files }: Pick<Arrived<{ url?: string }>, 'body' | 'files'>,
  part: string,
): SourceFile | { url: string } {
  const file = files.get(part);
  if (Object.hasOwn(body, part)) {
    throw badRequest({ path: `/${part}`, message: 'chỉ được nhận dưới dạng tệp của biểu mẫu' });
  }
  if (file && body.url === undefined) return file;
  if (!file && body.url !== undefined) return { url: body.url };
  throw badRequest(
    file
      ? { path: '/url', message: 'được gửi cùng với tệp: chỉ gửi một trong hai' }
      : { path: `/${part}`, message: 'bắt buộc phải có, dưới dạng tệp trong biểu mẫu; hoặc gửi url bằng JSON' },
  );
}
