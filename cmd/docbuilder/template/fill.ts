import { deserialize } from 'node:v8';
import { AppError } from '../../../src/common/errors.ts';
import { readIndex } from '../source/inspect/package-index.ts';
import { partTypes } from '../source/inspect/packages.ts';
import { xmlText } from '../source/inspect/xml-prolog.ts';
import { corrupt } from '../source/source-errors.ts';
import { BadLoop, type CompiledPart, compilePart } from './compile.ts';
import { openPackage, type PackageEntry, type PackageReader } from './package-reader.ts';
import { createPackage, outputTooLarge } from './package-writer.ts';
import { type PartTag, preparePart } from './prepare.ts';
import {
  type TemplateMistake,
  type TemplatePlace,
  type TemplateTask,
  templateError,
  templatePlace,
} from './template.ts';
import type { Json } from './template-data.ts';
import { valuesFor } from './values.ts';

const MiB = 1024 * 1024;
const CONTENT_TYPES = '[Content_Types].xml';
/** A part with tags that is larger than this needs more memory than a template may have. */
const MAX_PART_BYTES = 64 * MiB;
/** The same for a part that was filled: a table of 100,000 rows has 40 to 120 MiB. */
const MAX_FILLED_BYTES = 512 * MiB;
/** Larger than what programs give to pictures, small enough for them. */
const FIRST_PICTURE_ID = 1_000_000_000;

/** A part with tags, ready to be filled. */
interface Part {
  place: TemplatePlace;
  tags: PartTag[];
  compiled: CompiledPart;
}

/**
 * Fills a template in this thread, with everything that this can cost; see filler.ts.
 * @throws {AppError} see TemplateFiller
 */
export async function fillTemplate(task: TemplateTask): Promise<void> {
  const template = await openPackage(task.template);
  try {
    const types = contentTypes(template);
    const parts = readParts(template, partTypes(Array.from(readIndex(types)).flat()), task.maxOutputBytes);
    const mistakes = write(template, parts, types, task);
    if (mistakes.length > 0) throw templateError(mistakes);
  } finally {
    template.close();
  }
}

function contentTypes(template: PackageReader): string {
  const entry = template.entries.find(({ name }) => name === CONTENT_TYPES);
  if (!entry) throw corrupt('bad_archive');
  return xmlText(template.read(entry));
}

/** Everything that has tags; mistakes of all parts are found before anything is filled. */
function readParts(
  template: PackageReader,
  typeOf: (part: string) => string,
  maxBytes: number,
): Map<PackageEntry, Part> {
  const parts = new Map<PackageEntry, Part>();
  const mistakes: TemplateMistake[] = [];
  for (const entry of template.entries) {
    const place = templatePlace(typeOf(entry.name));
    const prepared = place && prepare(template, entry, maxBytes);
    if (!prepared) continue;
    const where = { part: entry.name, place };
    mistakes.push(...prepared.mistakes.map((mistake) => ({ ...where, ...mistake })));
    if (mistakes.length > 0) continue;
    try {
      parts.set(entry, { place, tags: prepared.tags, compiled: compilePart(prepared.xml, prepared.tags) });
    } catch (error) {
      if (!(error instanceof BadLoop)) throw error;
      const message = 'giữa các thẻ của danh sách này không có đoạn hay hàng nào trọn vẹn';
      const found = error.tags.map(({ source, name, paragraph }) => ({ tag: source, field: name, paragraph }));
      const places = found.length > 0 ? found : [{ tag: '', field: '', paragraph: 0 }];
      mistakes.push(...places.map((each) => ({ ...where, ...each, message })));
    }
  }
  if (mistakes.length > 0) throw templateError(mistakes);
  return parts;
}

function prepare(template: PackageReader, entry: PackageEntry, maxBytes: number): ReturnType<typeof preparePart> {
  if (entry.size > MAX_PART_BYTES) throw outputTooLarge(maxBytes, 'memory_limit');
  return preparePart(xmlText(template.read(entry)));
}

/** Writes the document, part by part; parts without tags as they are. */
function write(
  template: PackageReader,
  parts: Map<PackageEntry, Part>,
  types: string,
  { output, maxOutputBytes, data, missing }: TemplateTask,
): TemplateMistake[] {
  const mistakes: TemplateMistake[] = [];
  let pictures = FIRST_PICTURE_ID;
  const filling = {
    data: deserialize(data) as Json,
    missing,
    nextPictureId: () => pictures++,
    admit(bytes: number): void {
      if (bytes > MAX_FILLED_BYTES) throw outputTooLarge(maxOutputBytes, 'memory_limit');
    },
  };
  const writer = createPackage(output, maxOutputBytes);
  try {
    for (const entry of template.entries) {
      const part = parts.get(entry);
      if (part) {
        const values = valuesFor(part.tags, { part: entry.name, place: part.place }, filling);
        writer.add(entry, part.compiled.render(values));
        mistakes.push(...values.mistakes);
        parts.delete(entry);
      } else if (entry.name === CONTENT_TYPES) {
        writer.add(entry, Buffer.from(asDocument(types)));
      } else {
        writer.copy(entry, template.packed(entry));
      }
    }
    writer.finish();
  } finally {
    writer.close();
  }
  return mistakes;
}

/** What is made of a template is a document (ECMA-376 part 1, section 11.3.10). */
function asDocument(types: string): string {
  return types.replace(
    /(application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.)template(\.main\+xml)/gi,
    '$1document$2',
  );
}

/** Any failure in the words of the interface: what a library cannot digest is the template's fault. */
export function asTemplateError(error: unknown, maxOutputBytes: number): unknown {
  if (error instanceof AppError || (error instanceof Error && 'syscall' in error)) return error;
  if (error instanceof RangeError) return outputTooLarge(maxOutputBytes, 'memory_limit', error);
  return templateError([], error);
}
