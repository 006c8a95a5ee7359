import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type ConvertTask, EngineFailure } from '../domain/ports.ts';
import { encoder } from './encode.ts';
import { diskFull } from './job-folder.ts';
import { countPages } from './pdf-pages.ts';

/**
 * What is left to do to a result that has been delivered: plain text loses the line that was added to it and gets its
 * character set, the pages of a PDF are counted.
 * @param counted what the worker counted in the document
 * @returns pages, sheets or slides
 * @throws {EngineFailure}
 */
export async function finishResult(task: ConvertTask, counted: number): Promise<number> {
  if (task.to === 'pdf') return countPages(task.output);
  try {
    if (task.to === 'txt') await cutLastLineFeed(task.output);
    if (task.to === 'txt' || task.to === 'csv') await recode(task);
  } catch (error) {
    await rm(task.output, { force: true });
    throw diskFull(error);
  }
  return counted;
}

async function cutLastLineFeed(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size > 0) await truncate(path, size - 1);
}

/** LibreOffice always writes UTF-8; other character sets are made here, the same for every version of it. */
async function recode({ output, options, maxOutputBytes }: ConvertTask): Promise<void> {
  const { encoding = 'utf-8' } = options;
  if (encoding === 'utf-8') return;
  const encode = encoder(encoding);
  const temporary = `${output}.recoded`;
  let bytes = 0;
  try {
    await pipeline(
      createReadStream(output, { encoding: 'utf8' }),
      async function* (chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) {
          const encoded = encode(chunk);
          bytes += encoded.length;
          if (bytes > maxOutputBytes) throw new EngineFailure('output_limit', `the result has over ${bytes} bytes`);
          yield encoded;
        }
      },
      createWriteStream(temporary, { mode: 0o600, flags: 'wx' }),
    );
    await rename(temporary, output);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
