import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Save, Script } from '../../src/common/generated/script.ts';
import { type Parts, zip } from '../support/documents.ts';

const ROOT = new URL('../../examples/', import.meta.url);

/** Formats that a script of each type can be saved in (contract: svcscript). */
export const FORMATS: Readonly<Record<Script['type'], readonly Save['format'][]>> = {
  text: ['docx', 'odt', 'pdf'],
  sheet: ['xlsx', 'ods', 'pdf'],
  slides: ['pptx', 'odp', 'pdf'],
};

export interface ScriptExample {
  /** `invoice.text` of `examples/invoice.text.json`. */
  name: string;
  script: Script;
}

export interface TemplateExample {
  name: string;
  /** The docx that the parts in the example's folder make. */
  template: Buffer;
  data: Record<string, unknown>;
}

/** The scripts in `examples/`, by name. */
export async function scriptExamples(): Promise<ScriptExample[]> {
  const files = (await readdir(ROOT)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file) => ({ name: basename(file, '.json'), script: JSON.parse(await text(file)) as Script })),
  );
}

/** The templates in `examples/templates/`, by name: a folder of parts and a file of data each. */
export async function templateExamples(): Promise<TemplateExample[]> {
  const entries = await readdir(new URL('templates/', ROOT), { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      template: zip(await parts(name)),
      data: JSON.parse(await text(`templates/${name}.json`)) as Record<string, unknown>,
    })),
  );
}

/** The content types come first in a package, as Word writes it. */
async function parts(name: string): Promise<Parts> {
  const folder = new URL(`templates/${name}/`, ROOT);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.pathname.length))
    .sort();
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await text(`templates/${name}/${path}`)] as const)),
  );
}

function text(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8');
}
