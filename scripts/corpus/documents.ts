import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Family, getFamily, isSourceFormat } from '../../cmd/docbuilder/formats.ts';
import type { Settings } from './settings.ts';

/** A document of the corpus. */
export interface CorpusDocument {
  /** Below the folder of documents. */
  path: string;
  /** In lower case. */
  extension: string;
  family: Family;
  /** SHA-256 of its bytes, in hex. */
  sha256: string;
}

/** Extensions of formats that the service knows by another name: templates and shows of the binary formats. */
const FAMILIES: Record<string, Family> = { dot: 'text', xlt: 'sheet', pot: 'slides', pps: 'slides', tsv: 'sheet' };

/** All documents with an extension of a format that the service reads, by path. */
export function listDocuments(settings: Settings): CorpusDocument[] {
  const paths = filesBelow(settings.documents).filter(
    (path) => settings.only.length === 0 || settings.only.some((part) => path.includes(part)),
  );
  const documents = paths.flatMap((path): CorpusDocument[] => {
    const described = describeDocument(path);
    if (!described) return [];
    const sha256 = createHash('sha256')
      .update(readFileSync(join(settings.documents, path)))
      .digest('hex');
    return [{ path, ...described, sha256 }];
  });
  if (settings.limit === 0) return documents;
  const drawn = documents.toSorted((a, b) => compare(lot(a, settings.seed), lot(b, settings.seed)));
  return drawn.slice(0, settings.limit).toSorted((a, b) => compare(a.path, b.path));
}

/** The documents in an order that has nothing to do with their folders: the first ones are a sample of all. */
export function shuffled(documents: readonly CorpusDocument[]): CorpusDocument[] {
  return documents.toSorted((a, b) => compare(a.sha256, b.sha256));
}

/** Number of files with each extension that the service does not read. */
export function otherExtensions(settings: Settings): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of filesBelow(settings.documents).filter((name) => !describeDocument(name))) {
    counts.set(getExtension(path), (counts.get(getExtension(path)) ?? 0) + 1);
  }
  return counts;
}

/** Returns the format that the name says; undefined for a file that the service does not read. */
export function describeDocument(path: string): Pick<CorpusDocument, 'extension' | 'family'> | undefined {
  const extension = getExtension(path);
  const family = isSourceFormat(extension) ? getFamily(extension) : FAMILIES[extension];
  return family && { extension, family };
}

function getExtension(path: string): string {
  return /\.([^./]+)$/.exec(basename(path))?.[1]?.toLowerCase() ?? '';
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted(compare);
}

/** Number that decides whether a document is drawn. */
function lot({ path }: CorpusDocument, seed: number): string {
  return createHash('sha256').update(`${seed} ${path}`).digest('hex');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
