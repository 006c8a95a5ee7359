import type { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { type AppError, badRequest, fileTooLarge, MB } from '../../../src/common/errors.ts';
import { watchBody } from '../../../src/common/http/idle.ts';
import { limitBytes } from '../../../src/common/limit-bytes.ts';
import { createNewFile } from '../source/new-file.ts';
import type { SourceFile } from '../source/sources.ts';

const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 32;
/** The limit of a part's headers; the parser drops the rest silently. */
const MAX_HEADER_BYTES = 8 * 1024;
/** More than any file system has, in UTF-16 units. */
const MAX_FILENAME = 1024;
/** Room for the other fields and the boundaries of a form, beside its file. */
const FORM_OVERHEAD = MB;
/** One encoded word, and the space before a next one, which is not part of the text. */
const WORD = /=\?utf-8\?([bq])\?([^?\s]*)\?=(?:\s+(?==\?utf-8\?))?/gi;

export interface UploadLimits {
  /** The plan's largest file, bytes. */
  maxBytes(): number;
  /** Milliseconds without a byte after which an upload is refused. */
  idleMs: number;
}

/** A form: fields as text, files on disk. */
export interface Form {
  fields: Map<string, string>;
  files: Map<string, SourceFile>;
}

/**
 * Reads multipart/form-data (RFC 7578), and streams its files to disk, with the parts in any order. Stops at the first
 * mistake, and leaves the rest of the request unread.
 * @param fileNames of the parts that may be files
 * @param newPath returns a path for a file; the caller removes the file, also after a failure
 * @throws {AppError} `bad_request` for a part that is malformed, repeated or unknown; `file_too_large`
 */
export async function readForm(
  request: IncomingMessage,
  limits: UploadLimits,
  fileNames: readonly string[],
  newPath: () => string,
): Promise<Form> {
  const maxBytes = limits.maxBytes();
  if (Number(request.headers['content-length'] ?? 0) > fileNames.length * maxBytes + FORM_OVERHEAD) {
    throw fileTooLarge(maxBytes);
  }
  const form: Form = { fields: new Map(), files: new Map() };
  const receiving: Promise<void>[] = [];
  const refusal = new AbortController();
  // Only the first reason counts.
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
      if (isCut) throw tooLong(name, fileNames);
      if (form.fields.has(name)) throw mistake(name, 'được gửi hai lần');
      form.fields.set(name, value);
    }),
  );
  parser.on('file', (given: string | undefined, stream: Readable, filename: string | undefined) => {
    // The parser ends a part's stream with an error when the form is cut off; `writeLimited` reports it.
    stream.on('error', () => undefined);
    take(given, (name) => {
      checkFile(name, filename, fileNames);
      if (names.has(name)) throw mistake(name, 'được gửi hai lần');
      names.add(name);
      const path = newPath();
      const file = { path, filename: filename && decodeFileName(filename) };
      const written = writeLimited(stream, path, maxBytes, refusal.signal);
      receiving.push(written.then(() => void form.files.set(name, file)).catch(refuse));
    });
  });
  parser.on('fieldsLimit', () => refuse(mistake('', `biểu mẫu có hơn ${MAX_FIELDS} trường`)));
  parser.on('partsLimit', () => refuse(mistake('', 'biểu mẫu có quá nhiều phần')));
  parser.on('error', (error: Error) => refuse(mistake('', `biểu mẫu không đúng dạng: ${error.message}`)));

  await parse(request, parser, limits.idleMs, refusal);
  await Promise.all(receiving);
  refusal.signal.throwIfAborted();
  return form;
}

/** Resolves at the form's end, or when it is refused. */
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

function createParser({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      // A name in Base64 may have slashes; its user cuts off paths.
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

function checkFile(name: string, filename: string | undefined, fileNames: readonly string[]): void {
  if (!fileNames.includes(name)) {
    throw mistake(name, `không phải là tên tệp được nhận: tệp có tên ${fileNames.join(' hoặc ')}`);
  }
  if ((filename ?? '').length > MAX_FILENAME) throw mistake(name, `có tên dài hơn ${MAX_FILENAME} ký tự`);
}

function tooLong(name: string, fileNames: readonly string[]): AppError {
  const instead = fileNames.includes(name) ? ': hãy gửi dưới dạng tệp' : '';
  return mistake(name, `dài hơn ${MAX_FIELD_BYTES} byte${instead}`);
}

function mistake(name: string, message: string): AppError {
  return badRequest({ path: name === '' ? '' : `/${name}`, message });
}

/**
 * Decodes a file's name: a quote and line ends, as browsers write them (HTML, multipart/form-data), and encoded words (RFC
 * 2047), which RFC 7578 does not have, but Java's Spring and .NET send: `=?UTF-8?Q?B=C3=A1o_c=C3=A1o.csv?=`.
 */
export function decodeFileName(name: string): string {
  return name
    .replace(/%(?:22|0A|0D)/g, decodeURIComponent)
    .replace(WORD, (_, encoding: string, text: string) =>
      (encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedPrintable(text)).toString('utf8'),
    );
}

function quotedPrintable(text: string): Buffer {
  const bytes = text
    .replaceAll('_', ' ')
    .replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** Creates a file of at most `maxBytes`. A failure leaves a part of it. @throws {AppError} `file_too_large` */
export async function writeLimited(
  content: Readable,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const limited = (chunks: AsyncIterable<Buffer>) => limitBytes(chunks, maxBytes);
  await pipeline(content, limited, await createNewFile(path), { signal });
}
