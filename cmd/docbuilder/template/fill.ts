import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import Docxtemplater from 'docxtemplater';
import PizZip from 'pizzip';
import { AppError } from '../../../src/common/errors.ts';
import { partTypes } from '../source/inspect/package.ts';
import { readIndex } from '../source/inspect/package-index.ts';
import { withSource } from '../source/inspect/source.ts';
import { xmlText } from '../source/inspect/xml.ts';
import { newBudget, readEntry, readZip, type Zip } from '../source/inspect/zip.ts';
import { corrupt } from '../source/source-errors.ts';
import { fileTypeConfig, TagModule } from './tag-module.ts';
import { outputTooLarge, type TemplatePlace, type TemplateTask, templateError, templatePlace } from './template.ts';
import { canonicalXml } from './xml.ts';

const CONTENT_TYPES = '[Content_Types].xml';
const RELATIONSHIPS = '_rels/.rels';
/** A part with tags that is larger than this needs more memory than a template may have. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

/** A package as docxtemplater takes it. */
interface Template {
  zip: PizZip;
  /** The parts that may hold tags. */
  parts: Map<string, TemplatePlace>;
}

/**
 * Fills a template in this thread, with everything that this can cost; see filler.ts.
 * @throws {AppError} see TemplateFiller
 */
export async function fillTemplate(task: TemplateTask): Promise<void> {
  const { missing, maxOutputBytes } = task;
  const { zip, parts } = await openTemplate(task);
  const module = new TagModule({ parts, missing, maxOutputBytes });
  const document = compile(zip, module);
  if (parts.size > 0) document.render(deserialize(task.data));
  if (module.mistakes.length > 0) throw templateError(module.mistakes);
  const filled = document.toBuffer();
  if (filled.length > maxOutputBytes) throw outputTooLarge(maxOutputBytes);
  writeFileSync(task.output, filled, { mode: 0o600 });
}

/**
 * Reads a template. Every part that docxtemplater unpacks is unpacked here first, to no more than it may have: its own
 * zip library believes what an archive says.
 */
function openTemplate({ template, maxOutputBytes }: TemplateTask): Promise<Template> {
  return withSource(template, async (source) => {
    const archive = await readZip(source, newBudget());
    const types = partText(archive, CONTENT_TYPES, maxOutputBytes);
    const findType = partTypes(readIndex(types));
    const zip = new PizZip(readFileSync(template));
    zip.file(CONTENT_TYPES, asDocument(types));
    zip.file(RELATIONSHIPS, partText(archive, RELATIONSHIPS, maxOutputBytes));
    const parts: Template['parts'] = new Map();
    for (const name of archive.entries.keys()) {
      const place = templatePlace(findType(name));
      if (!place) continue;
      const xml = canonicalXml(partText(archive, name, maxOutputBytes));
      // Parts without tags stay packed as they are.
      if (!/[{}]/.test(xml)) continue;
      zip.file(name, xml);
      parts.set(name, place);
    }
    return { zip, parts };
  });
}

function partText(archive: Zip, name: string, maxOutputBytes: number): string {
  const entry = archive.entries.get(name);
  if (!entry) throw corrupt('bad_archive');
  if (entry.size > MAX_PART_BYTES) throw outputTooLarge(maxOutputBytes, 'memory_limit');
  return xmlText(readEntry(archive, entry, MAX_PART_BYTES));
}

/** Makes the content types of a template those of a document (ECMA-376 part 1, section 11.3.10). */
function asDocument(types: string): string {
  return types.replace(
    /(application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.)template(\.main\+xml)/gi,
    '$1document$2',
  );
}

/** @throws {AppError} `template_error` with all mistakes in the tags */
function compile(zip: PizZip, module: TagModule): Docxtemplater {
  try {
    const document = new Docxtemplater(zip, {
      delimiters: { start: '{{', end: '}}' },
      // The module has looked for these mistakes, paragraph by paragraph.
      syntax: { changeDelimiterPrefix: null, allowUnclosedTag: true, allowUnopenedTag: true },
      paragraphLoop: true,
      errorLogging: false,
      warnFn: () => {},
      fileTypeConfig: fileTypeConfig(),
      parser: module.parser,
      modules: [module],
    });
    if (module.mistakes.length === 0) return document;
  } catch (error) {
    if (error instanceof AppError) throw error;
    module.addLibraryErrors(error);
    throw templateError(module.mistakes, error);
  }
  throw templateError(module.mistakes);
}

/** Any failure in the words of the interface: what a library cannot digest is the template's fault. */
export function asTemplateError(error: unknown, maxOutputBytes: number): unknown {
  if (error instanceof AppError || (error instanceof Error && 'syscall' in error)) return error;
  if (error instanceof RangeError) return outputTooLarge(maxOutputBytes, 'memory_limit', error);
  return templateError([], error);
}
