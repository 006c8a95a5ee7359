import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { inChunks } from '../../../src/common/chunks.ts';
import type { ExtractedMeta, ExtractedText } from '../../../src/common/generated/wire.ts';
import { runTask } from '../engine/run-task.ts';
import type { Engine } from '../engine/task.ts';
import { type Family, FLAT, getFamily, type ResultFormat, type SourceFormat } from '../formats.ts';
import type { Work } from '../jobs/work.ts';
import { writeLimited } from '../jobs/write-limited.ts';
import { createSource, type OpenSource, type SourceDependencies, type SourceRequest } from '../source/sources.ts';
import { jsonPieces } from './json-pieces.ts';

export type ExtractRequest = Pick<SourceRequest, 'source' | 'from' | 'password'>;

/** What is known of a source besides what its flat OpenDocument twin says. */
export interface SourceFacts {
  format: SourceFormat;
  encrypted: boolean;
  macros: boolean;
  /** Bytes. */
  size: number;
  /** Pages of a text document, sheets, or slides, as the engine counts them. */
  pages: number;
}

/** Reads flat OpenDocument files. */
export interface Extractor {
  /** @throws {AppError} `file_too_large` when `copies` of the text are more than `maxBytes` */
  text(
    path: string,
    family: Family,
    options: { maxBytes: number; copies: number; signal: AbortSignal },
  ): Promise<ExtractedText>;
  /** @param options.source the file that the twin was made of; some of what it says is lost in the twin */
  meta(
    path: string,
    family: Family,
    options: { facts: SourceFacts; source: string; signal: AbortSignal },
  ): Promise<ExtractedMeta>;
}

export interface ExtractDependencies extends SourceDependencies {
  engine: Engine;
  extractor: Extractor;
}

interface Twin {
  path: string;
  family: Family;
  facts: SourceFacts;
  /** The file that it was made of. */
  source: string;
  signal: AbortSignal;
  maxBytes: number;
}

interface Extracted {
  /** In pieces: the largest result is longer than a string can be. */
  content: Iterable<string>;
  format: ResultFormat & ('json' | 'txt');
}

/** `POST /v1/extract/text` as a kind of job. */
export function textWork(request: ExtractRequest, format: 'json' | 'text', deps: ExtractDependencies): Work {
  return twinWork('text', request, deps, async ({ path, family, signal, maxBytes }) => {
    // JSON has the text whole and in parts.
    const copies = format === 'text' ? 1 : 2;
    const extracted = await deps.extractor.text(path, family, { maxBytes, copies, signal });
    return format === 'text'
      ? { content: [extracted.text], format: 'txt' }
      : { content: jsonPieces(extracted), format: 'json' };
  });
}

/** `POST /v1/extract/meta` as a kind of job. */
export function metaWork(request: ExtractRequest, deps: ExtractDependencies): Work {
  return twinWork('meta', request, deps, async ({ path, family, ...options }) => ({
    content: [JSON.stringify(await deps.extractor.meta(path, family, options))],
    format: 'json',
  }));
}

/** Work that reads a document from its OpenDocument twin: one reader serves every format that the engine opens. */
function twinWork(
  kind: 'text' | 'meta',
  request: ExtractRequest,
  deps: ExtractDependencies,
  read: (twin: Twin) => Promise<Extracted>,
): Work {
  const source = createSource(request, deps);
  return {
    kind,
    check: source.check,
    async prepare(preparing, newPath) {
      const opened = await source.open(preparing, newPath);
      const task = await source.task(opened, preparing, newPath);
      return async (signal, newFile) => {
        const family = getFamily(task.from);
        const path = newPath();
        const maxBytes = deps.maxFileBytes();
        const outputs = [{ path, to: FLAT[family], options: {} }] as const;
        const whole = { ...task, outputs, maxOutputBytes: maxBytes * TWIN_GROWTH };
        const { pages, engineMs } = await runTask(deps.engine, whole, signal, { maxFileBytes: maxBytes });
        const facts = await factsOf(opened, pages[0] ?? 0);
        const { content, format } = await read({ path, family, facts, source: opened.file.path, signal, maxBytes });
        const { fileId, path: target } = await newFile();
        await writeLimited(Readable.from(inChunks(content)), target, maxBytes, signal, { subject: 'output' });
        return { outputs: [{ fileId, filename: `${task.stem}.${format}`, format, pages: facts.pages }], engineMs };
      };
    },
  };
}

/** A twin may be so much larger than a file may be, and still be read: it is not packed. */
const TWIN_GROWTH = 4;

async function factsOf({ file, inspection }: OpenSource, pages: number): Promise<SourceFacts> {
  const { format, encrypted, macros } = inspection;
  return { format, encrypted, macros: macros !== null, size: (await stat(file.path)).size, pages };
}
