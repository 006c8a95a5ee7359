import { newBudget } from '../source/inspect/archive.ts';
import { withSource } from '../source/inspect/source.ts';
import { openEntry, readZip } from '../source/inspect/zip.ts';
import { parseXml, type XmlHandler } from './xml.ts';

/** More than any part has that tells facts about a document. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

/** A zip package that is open for reading. */
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
    const zip = await readZip(source, newBudget());
    return use({
      async parse(part, handler, signal) {
        const entry = zip.entries.get(part);
        if (entry) await parseXml(openEntry(zip, entry, MAX_PART_BYTES), handler, signal);
      },
    });
  });
}
