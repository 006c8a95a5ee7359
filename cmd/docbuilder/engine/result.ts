import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Encoding } from '../formats.ts';
import { encoder } from './encode.ts';
import { fileError, type JobFolder } from './job-folder.ts';
import { countPages } from './pdf-pages.ts';
import { EngineFailure, type EngineOutput, type EngineTask } from './task.ts';

/**
 * Moves all results of a task out of its job folder to where they belong, and does what is left to do to them. Where
 * one fails none stays.
 * @param counted what the worker counted in the document
 * @returns pages, sheets or slides of each output
 * @throws {EngineFailure}
 */
export async function deliverAll(task: EngineTask, folder: JobFolder, counted: number): Promise<number[]> {
  const pages: number[] = [];
  try {
    for (const [index, output] of task.outputs.entries()) {
      await folder.deliver(index, output.path, task.maxOutputBytes);
      pages.push(await finish(output, counted, task.maxOutputBytes));
    }
    return pages;
  } catch (error) {
    for (const { path } of task.outputs) await rm(path, { force: true });
    throw fileError(error);
  }
}

/** Plain text loses the line that was added to it and gets its character set, the pages of a PDF are counted. */
async function finish(output: EngineOutput, counted: number, maxBytes: number): Promise<number> {
  if ('image' in output) return 1;
  if (output.to === 'pdf') return countPages(output.path);
  if (output.to === 'txt') await cutLastLineFeed(output.path);
  if (output.to === 'txt' || output.to === 'csv') await recode(output.path, output.options.encoding, maxBytes);
  return counted;
}

async function cutLastLineFeed(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size > 0) await truncate(path, size - 1);
}

/** LibreOffice always writes UTF-8; other character sets are made here, the same for every version of it. */
async function recode(path: string, encoding: Encoding | undefined, maxBytes: number): Promise<void> {
  if (encoding === undefined || encoding === 'utf-8') return;
  const encode = encoder(encoding);
  const temporary = `${path}.recoded`;
  let bytes = 0;
  try {
    await pipeline(
      createReadStream(path, { encoding: 'utf8' }),
      async function* (chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) {
          const encoded = encode(chunk);
          bytes += encoded.length;
          if (bytes > maxBytes) throw new EngineFailure('output_limit', `the result has over ${bytes} bytes`);
          yield encoded;
        }
      },
      createWriteStream(temporary, { mode: 0o600, flags: 'wx' }),
    );
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
