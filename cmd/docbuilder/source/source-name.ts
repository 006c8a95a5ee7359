import { isSourceFormat, type SourceFormat } from '../formats.ts';
import { corrupt, unsupported } from './source-errors.ts';

/** The format of a source by its request; the content overrules it wherever it shows its own. */
export interface SourceName {
  /** The format that `from`, or else the file name's extension, stands for. */
  format?: SourceFormat;
  /** Tab separated rather than comma separated. */
  tsv: boolean;
  /** The file name's extension where it looks like one, lower case. */
  extension?: string;
}

/**
 * Reads `from` and the file name (contract: POST /v1/convert, `from` is for names without an extension).
 * @throws {AppError} `unsupported_format` for a `from` that is no format
 */
export function sourceName(from: string | undefined, filename: string | undefined): SourceName {
  const extension = /[^/\\]\.([A-Za-z0-9]{1,10})$/.exec(filename ?? '')?.[1]?.toLowerCase();
  const given = from?.toLowerCase().replace(/^\./, '');
  if (given !== undefined && !formatNamed(given)) throw unsupported(given.slice(0, 32));
  const name = given ?? extension;
  const format = name === undefined ? undefined : formatNamed(name);
  return { tsv: name === 'tsv', ...(format && { format }), ...(extension !== undefined && { extension }) };
}

function formatNamed(name: string): SourceFormat | undefined {
  if (name === 'tsv') return 'csv';
  return isSourceFormat(name) ? name : undefined;
}

/** Returns whether the name stands for plain text, which nothing in the content proves. */
export function saysText({ format }: SourceName): boolean {
  return format === 'txt' || format === 'csv';
}

/**
 * Refuses content that is no document we know: corrupt if it claims to be one, of an unsupported format if not.
 * @param found what it is called in `detail.from` when nothing better is known
 */
export function refuseUnknown({ format, extension }: SourceName, found: string): never {
  if (format) throw corrupt(`not_${format}`);
  throw unsupported(extension ?? found);
}
