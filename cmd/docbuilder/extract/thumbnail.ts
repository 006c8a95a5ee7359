import type { ImageFormat } from '../formats.ts';
import type { Work } from '../jobs/jobs.ts';
import { once } from '../jobs/once.ts';
import { runTask } from '../jobs/run-task.ts';
import type { Engine, ImageOptions } from '../ports.ts';
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
  const prepare = once(async (signal: AbortSignal) => source.task(await source.open(signal), signal));

  return {
    kind: 'thumbnail',
    check: source.check,
    prepare: async (signal) => void (await prepare(signal)),
    run: async (signal, newFile) => {
      const task = await prepare(signal);
      const { fileId, path } = await newFile();
      const outputs = [{ path, to: format, image }] as const;
      const whole = { ...task, outputs, maxOutputBytes: deps.maxFileBytes() };
      const { engineMs } = await runTask(deps.engine, whole, signal, { pages: '/page' });
      const filename = `${task.stem}.${EXTENSION[format]}`;
      return { outputs: [{ fileId, filename, format, pages: 1 }], engineMs };
    },
    dispose: source.dispose,
  };
}

const EXTENSION: Record<ImageFormat, string> = { png: 'png', jpeg: 'jpg', webp: 'webp' };
