import { readFile } from 'node:fs/promises';
import type { Clock } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { Save, Script } from '../../../src/common/generated/script.ts';
import { runTask } from '../engine/run-task.ts';
import type { Engine, EngineOutput } from '../engine/task.ts';
import type { SourceFormat } from '../formats.ts';
import type { NewFile, Work } from '../jobs/work.ts';
import type { Downloader } from '../source/downloader.ts';
import { parseStem } from '../source/filename.ts';
import { assertRoom, type ScriptFacts } from './check/check.ts';
import { MAX_PICTURE_BYTES, picture, scriptError } from './check/pictures.ts';

/** The input of a flat OpenDocument file. */
export interface FlatTask {
  /** The request's JSON, in UTF-8. */
  text: Uint8Array;
  /** Replaces the script's own. */
  save: readonly Save[];
  /** Paths of fetched pictures, by JSON Pointer of their image. */
  fetched: ReadonlyMap<string, string>;
  now: number;
  path: string;
}

/** Writes a script as a flat OpenDocument file. @throws RangeError if text in one place is longer than a string can be */
export type FlatWriter = (task: FlatTask, signal: AbortSignal) => Promise<void>;

/** A checked script: its facts, and the request's JSON in UTF-8. */
export interface BuildTask {
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

interface File extends NewFile {
  save: Save;
  filename: string;
  pages: number;
}

const FLAT: Record<Script['type'], SourceFormat> = { text: 'fodt', sheet: 'fods', slides: 'fodp' };
const FETCHES = 4;

/** `POST /v1/build` as a kind of job. The engine opens one flat OpenDocument file and exports every format from it. */
export function buildWork(task: BuildTask, deps: Dependencies): Work {
  const { save, type } = task.script;
  return {
    kind: 'build',
    async prepare(preparing, newPath) {
      const fetched = await fetchPictures(task.script, deps, newPath, preparing);
      return async (signal, newFile) => {
        const now = deps.clock();
        const files = await Promise.all(
          save.map(async (each): Promise<File> => {
            // Contract: save item, filename.
            const filename = each.filename ?? `tai-lieu.${each.format}`;
            return { save: each, filename, ...(await newFile()), pages: 0 };
          }),
        );
        // xlsx needs its own number formats (script/sheet.ts), so it has a flat file of its own.
        const { xlsx = [], others = [] } = Object.groupBy(files, ({ save: { format } }) =>
          type === 'sheet' && format === 'xlsx' ? 'xlsx' : 'others',
        );
        let engineMs = 0;
        for (const group of [xlsx, others]) {
          engineMs += await makeFiles(group, task, { fetched, now, path: newPath() }, deps, signal);
        }
        const outputs = files.map(({ save: { format }, fileId, filename, pages }) => {
          return { fileId, filename, format, pages };
        });
        return { outputs, engineMs };
      };
    },
  };
}

/** @returns paths of the fetched pictures, by JSON Pointer of their image */
async function fetchPictures(
  { links, characters: own }: ScriptFacts,
  { downloader, maxFileBytes }: Dependencies,
  newPath: () => string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let characters = own;
  // All fetchers share one iterator; the first that fails closes it. `take` makes it closable, which an array's is not.
  const waiting = links.values().take(links.length);
  const fetcher = async (): Promise<void> => {
    for (const { path, url } of waiting) {
      const [file, place] = [newPath(), `${path}/url`];
      await downloader.download(url, file, MAX_PICTURE_BYTES, signal).catch((error) => {
        if (!(error instanceof AppError)) throw error;
        throw new AppError(error.code, { ...error.detail, path: place }, { cause: error });
      });
      const content = await readFile(file);
      // `+=` with an await on its right would lose what other fetchers add meanwhile.
      characters += picture(content, place).base64.length;
      assertRoom(characters, maxFileBytes());
      found.set(path, file);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: FETCHES }, fetcher));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return found;
}

/** Makes files from one flat file and sets their `pages`. @returns milliseconds in the engine */
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
  await writeFlat({ text, save: files.map(({ save }) => save), ...flat }, signal).catch((error) => {
    throw error instanceof RangeError ? cannotBuild('memory_limit', error) : error;
  });
  const task = {
    input: flat.path,
    from: FLAT[script.type],
    stem: parseStem(files[0]?.filename),
    source: {},
    outputs: [first, ...rest] as const,
    maxOutputBytes: maxFileBytes(),
    calculate: true,
  };
  const { pages, engineMs } = await runTask(engine, task, signal).catch((error) => {
    // The source is ours, so `corrupt_source` means that the engine cannot do what the script has.
    const isCorrupt = error instanceof AppError && error.code === 'corrupt_source';
    throw isCorrupt ? cannotBuild(error.detail['reason'], error) : error;
  });
  for (const [index, file] of files.entries()) file.pages = pages[index] ?? 0;
  return engineMs;
}

function cannotBuild(reason: unknown, cause: Error): AppError {
  return scriptError({ path: '', message: `không dựng được: ${reason}` }, undefined, cause);
}
