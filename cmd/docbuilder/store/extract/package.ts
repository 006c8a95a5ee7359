import { newBudget } from '../../domain/archive.ts';
import { corrupt } from '../../domain/source-errors.ts';
import { withSource } from '../inspect/source.ts';
import { openEntry, readZip, type Zip } from '../inspect/zip.ts';
import { parseXml, type XmlHandler } from './xml.ts';

const MiB = 1024 * 1024;
/** A part that unpacks to more than this is no document's. */
const MAX_PART_BYTES = 2048 * MiB;

/** An OpenDocument package that is open for reading (ODF 1.3 part 2, section 2). */
export interface Package {
  /**
   * Parses one XML part; nothing happens if the package has none of that name.
   * @param signal ends it between two slices
   */
  parse(part: string, handler: XmlHandler, signal?: AbortSignal): Promise<void>;
}

/**
 * Opens a package for the time of `use`. Only the parts asked for are read: pictures never are.
 * @throws {AppError} `corrupt_source`: `bad_archive`, `zip_bomb`, `malformed_xml`, `doctype`
 */
export function withPackage<T>(path: string, use: (opened: Package) => Promise<T>): Promise<T> {
  return withSource(path, async (source) => {
    // What the engine wrote may be as dense as a sheet of equal rows is: half a gigabyte more than a source may.
    const zip = await readZip(source, { ...newBudget(), denseBytes: -512 * MiB });
    return use({ parse: (part, handler, signal) => parsePart(zip, part, handler, signal) });
  });
}

async function parsePart(zip: Zip, part: string, handler: XmlHandler, signal?: AbortSignal): Promise<void> {
  const entry = zip.entries.get(part);
  if (entry) return parseXml(openEntry(zip, entry, MAX_PART_BYTES), handler, signal);
  if (part === 'content.xml') throw corrupt('bad_archive');
}
