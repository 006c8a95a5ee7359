import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { Save, Script } from '../../../src/common/generated/script.ts';
import { runTask } from '../engine/run-task.ts';
import type { Engine, EngineOutput, EngineTask } from '../engine/task.ts';
import type { SourceFormat } from '../formats.ts';
import type { Work } from '../jobs/work.ts';
import type { Downloader } from '../source/downloader.ts';
import { parseStem } from '../source/filename.ts';
import { assertRoom, type ScriptFacts } from './check/check.ts';
import { MAX_PICTURE_BYTES, picture, scriptError } from './check/pictures.ts';

/** A script and what a flat OpenDocument file is made of besides. */
export interface FlatTask {
  /** The request's JSON, in UTF-8. */
  text: Uint8Array;
  /** Instead of those that the script has. */
  save: readonly Save[];
  /** Paths of the pictures that were fetched, by JSON Pointer of their image. */
  fetched: ReadonlyMap<string, string>;
  now: number;
  /** The path at which the file is created. */
  path: string;
}

/** Writes a script as a flat OpenDocument file. @throws RangeError for more text in one place than a string can hold */
export type FlatWriter = (task: FlatTask, signal: AbortSignal) => Promise<void>;

/** A script that was checked. */
export interface BuildTask {
  /** The request's JSON, in UTF-8. */
  text: Uint8Array;
  script: ScriptFacts;
}

interface Dependencies {
  engine: Engine;
  downloader: Downloader;
  writeFlat: FlatWriter;
  clock: Clock;
  maxFileBytes: () => number;
}

const FLAT: Record<Script['type'], SourceFormat> = { text: 'fodt', sheet: 'fods', slides: 'fodp' };
/** Pictures that are fetched at the same time. */
const FETCHES = 4;

/**
 * `POST /v1/build` as a kind of job: pictures are fetched and looked at, the script becomes a flat OpenDocument file,
 * and the engine opens that once and makes every format of it.
 */
export function buildWork(task: BuildTask, deps: Dependencies): Work {
  const { save, type } = task.script;
  return {
    kind: 'build',
    async prepare(preparing, newPath) {
      const fetched = await fetchPictures(task.script, deps, newPath, preparing);
      return async (signal, newFile) => {
        const now = deps.clock();
        const files: File[] = await Promise.all(
          save.map(async (each) => ({ save: each, ...(await newFile()), pages: 0 })),
        );
        // Excel's files want number formats of their own (script/sheet.ts), so they are made of a document of their own.
        const { xlsx = [], others = [] } = Object.groupBy(files, ({ save }) =>
          type === 'sheet' && save.format === 'xlsx' ? 'xlsx' : 'others',
        );
        let engineMs = 0;
        for (const group of [xlsx, others]) {
          engineMs += await makeFiles(group, task, { fetched, now, path: newPath() }, deps, signal);
        }
        const outputs = files.map(({ save, fileId, pages }) => {
          return { fileId, filename: getFilename(save), format: save.format, pages };
        });
        return { outputs, engineMs };
      };
    },
  };
}

/** Fetches the pictures that a script has addresses of. @returns paths of their files, by JSON Pointer of their image */
async function fetchPictures(
  { links, characters: own }: ScriptFacts,
  { downloader, maxFileBytes }: Dependencies,
  newPath: () => string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let characters = own;
  // All fetchers take from the same iterator, and the first one that fails closes it: one of an array alone can't be closed.
  const waiting = links.values().take(links.length);
  const fetcher = async (): Promise<void> => {
    for (const { path, url } of waiting) {
      const [file, place] = [newPath(), `${path}/url`];
      await downloader.download(url, file, MAX_PICTURE_BYTES, signal).catch((error) => {
        if (!(error instanceof AppError)) throw error;
        throw new AppError(error.code, { ...error.detail, path: place }, { cause: error });
      });
      // Read first: `+=` would take the sum from before the wait, without what other fetchers add meanwhile.
      const content = await readFile(file);
      characters += picture(content, place).base64.length;
      assertRoom(characters, maxFileBytes());
      found.set(path, file);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: FETCHES }, fetcher));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return found;
}

/** One result file in the making. */
interface File {
  save: Save;
  fileId: string;
  path: string;
  pages: number;
}

/** Makes files of one document. @returns milliseconds in the engine */
async function makeFiles(
  files: readonly File[],
  { text, script }: BuildTask,
  flat: Omit<FlatTask, 'text' | 'save'>,
  { engine, writeFlat, maxFileBytes }: Dependencies,
  signal: AbortSignal,
): Promise<number> {
  const [first, ...rest] = files.map(({ save: { format, pdfa }, path }): EngineOutput => {
    return { path, to: format, options: pdfa ? { pdfa } : {} };
  });
  if (!first) return 0;
  const save = files.map((file) => file.save);
  await writeFlat({ text, save, ...flat }, signal).catch((error) => {
    throw error instanceof RangeError ? cannotBuild('memory_limit', error) : error;
  });
  const task = {
    input: flat.path,
    from: FLAT[script.type],
    stem: parseStem(getFilename(save[0])),
    source: {},
    outputs: [first, ...rest],
    maxOutputBytes: maxFileBytes(),
    calculate: true,
  } satisfies EngineTask;
  const { pages, engineMs } = await runTask(engine, task, signal).catch((error) => {
    // There is no source that could be corrupt: the script asked for something the engine cannot do.
    const isCorrupt = error instanceof AppError && error.code === 'corrupt_source';
    throw isCorrupt ? cannotBuild(error.detail['reason'], error) : error;
  });
  for (const [index, file] of files.entries()) file.pages = pages[index] ?? 0;
  return engineMs;
}

/** Contract: save item, filename. */
function getFilename(save: Save | undefined): string {
  return save?.filename ?? `tai-lieu.${save?.format}`;
}

function cannotBuild(reason: unknown, cause: Error): AppError {
  return scriptError({ path: '', message: `không dựng được: ${reason}` }, undefined, cause);
}
