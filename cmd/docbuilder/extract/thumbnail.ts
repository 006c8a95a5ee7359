import { runTask } from '../engine/run-task.ts';
import type { Engine, ImageOptions } from '../engine/task.ts';
import type { ImageFormat } from '../formats.ts';
import type { Work } from '../jobs/work.ts';
import { createSource, type SourceDependencies } from '../source/sources.ts';
import type { ExtractRequest } from './extract.ts';

export interface ThumbnailOptions extends ImageOptions {
  format: ImageFormat;
}

/** `POST /v1/extract/thumbnail` as a kind of job. */
export function thumbnailWork(
  request: ExtractRequest,
  { format, ...image }: ThumbnailOptions,
  deps: SourceDependencies & { engine: Engine },
): Work {
  const source = createSource(request, deps);

  return {
    kind: 'thumbnail',
    check: source.check,
    async prepare(preparing, newPath) {
      const task = await source.task(await source.open(preparing, newPath), preparing, newPath);
      return async (signal, newFile) => {
        const { fileId, path } = await newFile();
        const outputs = [{ path, to: format, image }] as const;
        const whole = { ...task, outputs, maxOutputBytes: deps.maxFileBytes() };
        const { engineMs } = await runTask(deps.engine, whole, signal, { pages: '/page' });
        const filename = `${task.stem}.${EXTENSION[format]}`;
        return { outputs: [{ fileId, filename, format, pages: 1 }], engineMs };
      };
    },
  };
}

const EXTENSION: Record<ImageFormat, string> = { png: 'png', jpeg: 'jpg', webp: 'webp' };
