import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import { watchIdle } from '../../../src/common/http/idle.ts';
import { decodeWords } from './encoded-words.ts';

const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 32;
/** Of what stands before a part's content. The parser drops the rest without a word, and so a name that is too long. */
const MAX_HEADER_BYTES = 8 * 1024;
/** More than any file system has, in UTF-16 units. */
const MAX_FILENAME = 1024;

/** A form as it arrived: its fields as text, and what the receiver made of its files. */
export interface Form<T> {
  fields: Map<string, string>;
  files: Map<string, T>;
}

export interface FormOptions<T> {
  /** Names that a file part may have. */
  fileNames: readonly string[];
  /** Takes a file part while it arrives. */
  receive(stream: Readable, filename: string | undefined): Promise<T>;
  /** Undoes `receive` when the form is refused after all. */
  discard(received: T): Promise<void>;
  /** Milliseconds without a byte after which the upload has stalled. */
  idleMs: number;
}

/**
 * Reads multipart/form-data (RFC 7578), files as streams and in whatever order the parts come.
 * @throws {AppError} `bad_request` for anything malformed, twice or not known; whatever `receive` throws, as soon as it does
 */
export async function readForm<T>(request: IncomingMessage, options: FormOptions<T>): Promise<Form<T>> {
  const form: Form<T> = { fields: new Map(), files: new Map() };
  const pending: Promise<void>[] = [];
  const streams: Readable[] = [];
  const taken = new Set<string>();
  let settled = false;

  const parse = new Promise<void>((resolve, reject) => {
    const parser = createParser(request);
    const fail = (error: Error): void => {
      if (settled) return;
      settled = true;
      watch.stop();
      request.unpipe(parser);
      parser.destroy();
      for (const stream of streams) stream.destroy(error);
      reject(error);
    };
    const watch = watchIdle(request, options.idleMs, fail);

    parser.on('field', (name: string, value: string, nameTruncated: boolean, valueTruncated: boolean) => {
      if (nameTruncated || valueTruncated) fail(tooLong(name, options.fileNames));
      else if (form.fields.has(name)) fail(mistake(name, 'is given twice'));
      else form.fields.set(name, value);
    });
    parser.on('file', (name: string, stream: Readable, filename: string | undefined) => {
      // The parser ends a part's stream with an error when the form is cut off; `receive` sees it.
      stream.on('error', () => undefined);
      streams.push(stream);
      if (!options.fileNames.includes(name)) return fail(unknownFile(name, options.fileNames));
      if (taken.has(name)) return fail(mistake(name, 'is given twice'));
      if ((filename ?? '').length > MAX_FILENAME) return fail(mistake(name, `has a name over ${MAX_FILENAME} letters`));
      taken.add(name);
      const receiving = options.receive(stream, filename && decodeWords(filename)).then((received) => {
        form.files.set(name, received);
      });
      pending.push(receiving);
      receiving.catch(fail);
    });
    parser.on('fieldsLimit', () => fail(mistake('', `the form has more than ${MAX_FIELDS} fields`)));
    parser.on('partsLimit', () => fail(mistake('', 'the form has too many parts')));
    parser.on('error', (error: Error) => fail(mistake('', `the form is malformed: ${error.message}`)));
    parser.on('finish', () => {
      if (settled) return;
      settled = true;
      watch.stop();
      resolve();
    });
    request.once('aborted', () => fail(mistake('', 'the upload was cut off')));
    request.pipe(parser);
  });

  try {
    await parse;
    await Promise.all(pending);
    return form;
  } catch (error) {
    const received = await Promise.allSettled(pending);
    await Promise.all([...form.files.values()].map((file) => options.discard(file)));
    throw received.map(ownFailure).find((failure) => failure !== undefined) ?? error;
  }
}

/**
 * Why `receive` failed, where that was its own doing (too large, a full disk): the parser then complains as well, of a
 * part that was not read to its end.
 */
function ownFailure(result: PromiseSettledResult<void>): unknown {
  if (result.status === 'fulfilled') return undefined;
  return result.reason instanceof AppError || 'syscall' in result.reason ? result.reason : undefined;
}

function createParser(request: IncomingMessage): BusboyInstance {
  const contentType = request.headers['content-type'] ?? '';
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      // A name in Base64 may have slashes; paths are cut off where a name is used.
      preservePath: true,
      limits: {
        fieldNameSize: 100,
        fieldSize: MAX_FIELD_BYTES,
        fields: MAX_FIELDS,
        parts: MAX_FIELDS + 4,
        headerPairs: 32,
        headerSize: MAX_HEADER_BYTES,
      },
    });
  } catch (error) {
    throw mistake('', `the form is malformed: ${(error as Error).message}`);
  }
}

function tooLong(name: string, fileNames: readonly string[]): AppError {
  const instead = fileNames.includes(name) ? ': send it as a file' : '';
  return mistake(name, `is longer than ${MAX_FIELD_BYTES} bytes${instead}`);
}

function unknownFile(name: string, fileNames: readonly string[]): AppError {
  return mistake(name, `is not known as a file: a file is called ${fileNames.join(' or ')}`);
}

function mistake(name: string, message: string): AppError {
  return badRequest({ path: name === '' ? '' : `/${name}`, message });
}
