import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { strFromU8, unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';
import { fillTemplate } from '../../cmd/docbuilder/template/fill.ts';
import type { MissingMode, TemplateTask } from '../../cmd/docbuilder/template/template.ts';
import { AppError } from '../../src/common/errors.ts';
import { docxTemplate } from './templates.ts';

/** A task in a folder of its own; `remove` takes the folder away. */
export function templateTask(
  template: Buffer,
  data: unknown,
  options: Partial<TemplateTask> = {},
): { task: TemplateTask; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'template-'));
  const task: TemplateTask = {
    template: join(folder, 'template.docx'),
    output: join(folder, 'output.docx'),
    data: serialize(data),
    missing: 'empty',
    maxOutputBytes: 50 * 1024 * 1024,
    ...options,
  };
  writeFileSync(task.template, template);
  return { task, remove: () => rmSync(folder, { recursive: true }) };
}

/** Text of each part of a filled document, by the part's name. */
export type Filled = Record<string, string>;

/** Fills a template in this thread. A string is the body of a template. */
export async function fill(template: Buffer | string, data: unknown, missing: MissingMode = 'empty'): Promise<Filled> {
  const bytes = typeof template === 'string' ? docxTemplate({ body: template }) : template;
  const { task, remove } = templateTask(bytes, data, { missing });
  try {
    await fillTemplate(task);
    const files = Object.entries(unzipSync(readFileSync(task.output)));
    return Object.fromEntries(files.map(([name, content]) => [name, strFromU8(content)]));
  } finally {
    remove();
  }
}

/** Paragraphs of the body of a filled template. */
export async function filledBody(body: string, data: unknown, missing: MissingMode = 'empty'): Promise<string[]> {
  return paragraphs((await fill(body, data, missing))['word/document.xml']);
}

/** Returns the error that filling fails with. */
export async function failure(
  template: Buffer | string,
  data: unknown,
  missing: MissingMode = 'empty',
): Promise<AppError> {
  try {
    await fill(template, data, missing);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the template was filled');
}

/** Text of each paragraph of a part in the order in which they end; a line break is `\n`, a tab `\t`. Strict XML only. */
export function paragraphs(xml = ''): string[] {
  const done: string[] = [];
  const open: string[] = [];
  let inText = false;
  const add = (text: string): void => {
    if (open.length > 0) open[open.length - 1] += text;
  };
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => {
    if (name === 'w:p') open.push('');
    if (name === 'w:t') inText = true;
    if (name === 'w:br') add('\n');
    if (name === 'w:tab') add('\t');
  });
  parser.on('text', (text) => {
    if (inText) add(text);
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'w:t') inText = false;
    if (name === 'w:p') done.push(open.pop() ?? '');
  });
  parser.write(xml).close();
  return done;
}
