import type { ErrorResponse, Job } from '../../src/common/generated/wire.ts';
import type { LocalDocbuilder } from '../support/docbuilder.ts';
import { FORMATS, type ScriptExample, type TemplateExample } from './files.ts';

type Caller = Pick<LocalDocbuilder, 'call'>;

export interface Result {
  format: string;
  content: Buffer;
  pages: number;
}

/**
 * Builds a script in every format of its type at once.
 * @param pdfa whether the PDF is to be PDF/A-2b
 * @throws {Error} with the service's answer if it is not the documents
 */
export async function buildExample(
  service: Caller,
  { name, script }: ScriptExample,
  { pdfa = false }: { pdfa?: boolean } = {},
): Promise<Result[]> {
  const save = FORMATS[script.type].map((format) => (format === 'pdf' && pdfa ? { format, pdfa } : { format }));
  const body = JSON.stringify({ ...script, save });
  const response = await service.call('/v1/build', {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  const job = await answer<Job>(name, response);
  return Promise.all(
    job.outputs.map(async ({ url, format, pages }) => ({
      format,
      pages,
      content: await bytes(await service.call(new URL(url).pathname)),
    })),
  );
}

/**
 * Fills a template with its data.
 * @throws {Error} with the service's answer if it is not the document; a field without a value is an error as well
 */
export async function renderExample(
  service: Caller,
  { name, template, data }: TemplateExample,
  to: string,
): Promise<Result> {
  const body = new FormData();
  body.append('template', new Blob([new Uint8Array(template)]), `${name}.docx`);
  body.append('data', JSON.stringify(data));
  body.append('to', to);
  body.append('options.missing', 'error');
  const headers = { Accept: 'application/json' };
  const response = await service.call('/v1/template/render', { method: 'POST', body, headers });
  const job = await answer<Job>(name, response);
  const [output] = job.outputs;
  if (!output) throw new Error(`${name}: no output`);
  const content = await bytes(await service.call(new URL(output.url).pathname));
  return { format: to, pages: output.pages, content };
}

async function answer<T>(name: string, response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const { error } = (await response.json()) as ErrorResponse;
  throw new Error(`${name}: ${response.status} ${error.code} ${JSON.stringify(error.detail)}`);
}

async function bytes(response: Response): Promise<Buffer> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
