import { isSourceFormat, type SourceFormat } from '../formats.ts';
import { corrupt, unsupported } from './source-errors.ts';

/** The format of a source by its request. The content's own format counts more. */
export interface SourceName {
  /** By `from`, or else by the extension. */
  format?: SourceFormat;
  tsv: boolean;
  /** The file name's extension, in lower case. */
  extension?: string;
}

/** Reads `from` and the file name. @throws {AppError} `unsupported_format` for a `from` that is no format */
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

/** Returns whether the name is one of plain text, which no content proves. */
export function saysText({ format }: SourceName): boolean {
  return format === 'txt' || format === 'csv';
}

/** Refuses unknown content: as corrupt if its name is a document's. @param found `detail.from` without an extension */
export function refuseUnknown({ format, extension }: SourceName, found: string): never {
  if (format) throw corrupt(`not_${format}`);
  throw unsupported(extension ?? found);
}
