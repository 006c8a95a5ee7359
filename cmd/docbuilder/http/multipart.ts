import type { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { type AppError, badRequest } from '../../../src/common/errors.ts';
import { watchBody } from '../../../src/common/http/idle.ts';
import { decodeWords } from './encoded-words.ts';

const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 32;
/** The limit of a part's headers. The parser drops the rest without a word, and so a name that is too long. */
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
  /** Takes a file part while it arrives. It ends in any case once the signal aborts. */
  receive(stream: Readable, filename: string | undefined, signal: AbortSignal): Promise<T>;
  /** Milliseconds without a byte after which the upload has stalled. */
  idleMs: number;
}

/**
 * Reads multipart/form-data (RFC 7578), files as streams and in whatever order the parts come. After the first thing that
 * is wrong no part is taken any more, and what is being received ends; what of the request has not been read stays unread.
 * @throws {AppError} `bad_request` for anything malformed, twice or not known; whatever `receive` throws, as soon as it does
 */
export async function readForm<T>(request: IncomingMessage, options: FormOptions<T>): Promise<Form<T>> {
  const form: Form<T> = { fields: new Map(), files: new Map() };
  const receiving: Promise<void>[] = [];
  const refusal = new AbortController();
  // The first reason stays.
  const refuse = (error: Error): void => refusal.abort(error);
  const take = (name: string | undefined, part: (name: string) => void): void => {
    if (refusal.signal.aborted) return;
    try {
      if (name === undefined) throw mistake('', 'biểu mẫu có phần không có tên');
      part(name);
    } catch (error) {
      refuse(error as Error);
    }
  };
  const names = new Set<string>();
  const parser = createParser(request);
  parser.on('field', (given: string | undefined, value: string, _: boolean, isCut: boolean) =>
    take(given, (name) => {
      if (isCut) throw tooLong(name, options.fileNames);
      if (form.fields.has(name)) throw mistake(name, 'được gửi hai lần');
      form.fields.set(name, value);
    }),
  );
  parser.on('file', (given: string | undefined, stream: Readable, filename: string | undefined) => {
    // The parser ends a part's stream with an error when the form is cut off; `receive` sees it.
    stream.on('error', () => undefined);
    take(given, (name) => {
      checkFile(name, filename, options.fileNames);
      if (names.has(name)) throw mistake(name, 'được gửi hai lần');
      names.add(name);
      const received = options.receive(stream, filename && decodeWords(filename), refusal.signal);
      receiving.push(received.then((file) => void form.files.set(name, file)).catch(refuse));
    });
  });
  parser.on('fieldsLimit', () => refuse(mistake('', `biểu mẫu có hơn ${MAX_FIELDS} trường`)));
  parser.on('partsLimit', () => refuse(mistake('', 'biểu mẫu có quá nhiều phần')));
  parser.on('error', (error: Error) => refuse(mistake('', `biểu mẫu không đúng dạng: ${error.message}`)));

  await parse(request, parser, options.idleMs, refusal);
  await Promise.all(receiving);
  refusal.signal.throwIfAborted();
  return form;
}

/** Resolves when the parser has seen the form's end, or nothing more is to be read of it since it is refused. */
async function parse(
  request: IncomingMessage,
  parser: BusboyInstance,
  idleMs: number,
  refusal: AbortController,
): Promise<void> {
  const watch = watchBody(request, { idleMs }, (error) => refusal.abort(error));
  finished(request, (error) => error && refusal.abort(mistake('', 'dữ liệu gửi lên bị ngắt giữa chừng')));
  await new Promise<void>((resolve) => {
    parser.once('finish', resolve);
    refusal.signal.addEventListener('abort', () => resolve(), { once: true });
    request.pipe(parser);
  });
  watch.stop();
  request.unpipe(parser);
  parser.destroy();
}

function checkFile(name: string, filename: string | undefined, fileNames: readonly string[]): void {
  if (!fileNames.includes(name)) throw unknownFile(name, fileNames);
  if ((filename ?? '').length > MAX_FILENAME) throw mistake(name, `có tên dài hơn ${MAX_FILENAME} ký tự`);
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
    throw mistake('', `biểu mẫu không đúng dạng: ${(error as Error).message}`);
  }
}

function tooLong(name: string, fileNames: readonly string[]): AppError {
  const instead = fileNames.includes(name) ? ': hãy gửi dưới dạng tệp' : '';
  return mistake(name, `dài hơn ${MAX_FIELD_BYTES} byte${instead}`);
}

function unknownFile(name: string, fileNames: readonly string[]): AppError {
  return mistake(name, `không phải là tên tệp được nhận: tệp có tên ${fileNames.join(' hoặc ')}`);
}

function mistake(name: string, message: string): AppError {
  return badRequest({ path: name === '' ? '' : `/${name}`, message });
}
