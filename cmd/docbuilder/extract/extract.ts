import { stat, writeFile } from 'node:fs/promises';
import { MB } from '../../../src/common/errors.ts';
import { runTask } from '../engine/run-task.ts';
import type { Engine, ImageOptions } from '../engine/task.ts';
import { FLAT, getFamily, type ImageFormat } from '../formats.ts';
import type { Work } from '../jobs/work.ts';
import { createSource, type SourceDependencies, type SourceRequest } from '../source/sources.ts';
import type { Extractor } from './extractor.ts';
import type { MetaTask } from './meta.ts';

export type ExtractRequest = Pick<SourceRequest, 'source' | 'from' | 'password'>;

export interface ExtractDependencies extends SourceDependencies {
  engine: Engine;
  extractor: Extractor;
}

/** `POST /v1/extract/text` as a kind of job. */
export function textWork(request: ExtractRequest, asked: 'json' | 'text', deps: ExtractDependencies): Work {
  const format = asked === 'text' ? 'txt' : 'json';
  return extractWork('text', format, request, deps, ({ path, family, maxBytes }, target, signal) =>
    deps.extractor.writeText({ path, family, target, format, maxBytes }, signal),
  );
}

/** `POST /v1/extract/meta` as a kind of job. */
export function metaWork(request: ExtractRequest, deps: ExtractDependencies): Work {
  return extractWork('meta', 'json', request, deps, async (document, target, signal) => {
    const meta = await deps.extractor.readMeta(document, signal);
    await writeFile(target, JSON.stringify(meta), { flag: 'wx', mode: 0o600 });
  });
}

/** The flat file is temporary and not packed, so the plan's largest file does not limit it: a workbook grows thirty times. */
const FLAT_BYTES = 1024 * MB;
const FLAT_GROWTH = 4;

/** Creates work that reads a document of any format from its flat OpenDocument form. */
function extractWork(
  kind: 'text' | 'meta',
  format: 'json' | 'txt',
  request: ExtractRequest,
  deps: ExtractDependencies,
  write: (document: MetaTask & { maxBytes: number }, target: string, signal: AbortSignal) => Promise<void>,
): Work {
  const source = createSource(request, deps);
  return {
    kind,
    check: source.check,
    async prepare(preparing, newPath) {
      const { file, inspection, task } = await source.open(preparing, newPath);
      return async (signal, newFile) => {
        const family = getFamily(task.from);
        const path = newPath();
        const maxBytes = deps.maxFileBytes();
        const outputs = [{ path, to: FLAT[family], options: {} }] as const;
        const whole = { ...task, outputs, maxOutputBytes: Math.max(FLAT_BYTES, maxBytes * FLAT_GROWTH) };
        const { pages, engineMs } = await runTask(deps.engine, whole, signal, { maxFileBytes: maxBytes });
        const { format: from, encrypted, macros } = inspection;
        const { size } = await stat(file.path);
        const facts = { format: from, encrypted, macros: macros !== null, size, pages: pages[0] ?? 0 };
        const { fileId, path: target } = await newFile();
        await write({ path, family, facts, source: file.path, maxBytes }, target, signal);
        return { outputs: [{ fileId, filename: `${task.stem}.${format}`, format, pages: facts.pages }], engineMs };
      };
    },
  };
}

/** `POST /v1/extract/thumbnail` as a kind of job. */
export function thumbnailWork(
  request: ExtractRequest,
  { format, ...image }: ImageOptions & { format: ImageFormat },
  deps: SourceDependencies & { engine: Engine },
): Work {
  const source = createSource(request, deps);

  return {
    kind: 'thumbnail',
    check: source.check,
    async prepare(preparing, newPath) {
      const { task } = await source.open(preparing, newPath);
      return async (signal, newFile) => {
        const { fileId, path } = await newFile();
        const outputs = [{ path, to: format, image }] as const;
        const whole = { ...task, outputs, maxOutputBytes: deps.maxFileBytes() };
        const { engineMs } = await runTask(deps.engine, whole, signal, { pages: '/page' });
        const filename = `${task.stem}.${format === 'jpeg' ? 'jpg' : format}`;
        return { outputs: [{ fileId, filename, format, pages: 1 }], engineMs };
      };
    },
  };
}
