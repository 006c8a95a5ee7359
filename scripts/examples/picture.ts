import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { slim } from './svg.ts';

/** A picture that is larger does not belong into the repository. */
const MOST_PICTURE_BYTES = 200 * 1024;

const PICTURES = resolve(import.meta.dirname, '../../docs/pictures');

/** Draws one page of a PDF as SVG, by poppler's pdftocairo. */
export async function drawPage(pdf: Uint8Array, page: number, title: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-picture-'));
  try {
    const [source, target] = [join(folder, 'page.pdf'), join(folder, 'page.svg')];
    await writeFile(source, pdf);
    await promisify(execFile)('pdftocairo', ['-svg', '-f', String(page), '-l', String(page), source, target]);
    return slim(await readFile(target, 'utf8'), title);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes a picture of the guides to docs/pictures. */
export async function writePicture(name: string, svg: string): Promise<void> {
  const file = join(PICTURES, `${name}.svg`);
  if (svg.length > MOST_PICTURE_BYTES) throw new Error(`${file} would have ${svg.length} bytes: choose another page`);
  await writeFile(file, svg);
  console.log(`${file}  ${svg.length} bytes`);
}
