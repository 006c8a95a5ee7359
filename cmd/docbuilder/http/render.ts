import type { RequestHandler } from 'express';
import { badRequest } from '../../../src/common/errors.ts';
import type { RenderRequest as Body } from '../../../src/common/generated/wire.ts';
import { parseJson } from '../../../src/common/http/json.ts';
import type { HeldJson } from '../../../src/common/http/json-load.ts';
import { validator } from '../../../src/common/schema.ts';
import type { Work } from '../domain/jobs.ts';
import type { RenderRequest } from '../domain/render.ts';
import type { SourceFile } from '../domain/sources.ts';
import { sourceOf } from './source.ts';
import { postWork, type WorkHandlers } from './work.ts';

export interface RenderHandlers extends WorkHandlers {
  /** Makes the job; see domain/render.ts. */
  render: (request: RenderRequest) => Work;
}

const DATA = 'data';

/** `POST /v1/template/render`. */
export function postRender(deps: RenderHandlers): RequestHandler {
  return postWork<Body>(deps, {
    check: validator('render-request.json'),
    form: { files: ['template', DATA], booleans: ['async'], integers: [], json: ['options', DATA] },
    complete: (value, files, held) => withDataFile(value, files, held, deps),
    maxJsonBytes: deps.uploads.maxBytes,
    work: (arrived) => {
      const { data, to = 'docx', options = {} } = arrived.body;
      return deps.render({ source: sourceOf(arrived, 'template'), data, to, missing: options.missing ?? 'empty' });
    },
    // A template with macros is refused at once (contract: Errors), so it is always fetched first.
    fetches: () => false,
  });
}

/** The data of a form is a field, or a file of its own. */
async function withDataFile(
  value: unknown,
  files: ReadonlyMap<string, SourceFile>,
  held: HeldJson,
  { uploads }: RenderHandlers,
): Promise<unknown> {
  const file = files.get(DATA);
  if (!file) return value;
  if (Object.hasOwn(value as object, DATA)) throw badRequest({ path: '/data', message: 'được gửi hai lần' });
  held.take(await uploads.size(file.path));
  const text = await uploads.read(file.path);
  held.look(text);
  const data = parseJson(text, '/data');
  await uploads.remove(file.path);
  return { ...(value as object), data };
}
