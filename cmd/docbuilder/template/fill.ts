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
/** Filling a larger part needs more memory than a template may have. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

/** Fills a template in this thread. @throws {AppError} see TemplateFiller */
export async function fillTemplate(task: TemplateTask): Promise<void> {
  const { missing, maxOutputBytes } = task;
  try {
    const { zip, parts } = await openTemplate(task);
    const module = new TagModule({ parts, missing, maxOutputBytes });
    const document = compile(zip, module);
    if (parts.size > 0) document.render(deserialize(task.data));
    if (module.mistakes.length > 0) throw templateError(module.mistakes);
    const filled = document.toBuffer();
    if (filled.length > maxOutputBytes) throw outputTooLarge(maxOutputBytes);
    writeFileSync(task.output, filled, { mode: 0o600 });
  } catch (error) {
    if (error instanceof AppError || (error instanceof Error && 'syscall' in error)) throw error;
    if (error instanceof RangeError) throw outputTooLarge(maxOutputBytes, 'memory_limit', error);
    // Anything else is a template that the library cannot process.
    throw templateError([], error);
  }
}

/** Unpacks the parts that docxtemplater reads, with limits: its own zip library trusts the sizes in an archive. */
function openTemplate({ template, maxOutputBytes }: TemplateTask) {
  return withSource(template, async (source) => {
    const archive = await readZip(source, newBudget());
    const types = partText(archive, CONTENT_TYPES, maxOutputBytes);
    const findType = partTypes(readIndex(types));
    const zip = new PizZip(readFileSync(template));
    zip.file(CONTENT_TYPES, asDocument(types));
    zip.file(RELATIONSHIPS, partText(archive, RELATIONSHIPS, maxOutputBytes));
    /** The parts that may hold tags. */
    const parts = new Map<string, TemplatePlace>();
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

/** Content types of a document instead of a template (ECMA-376 part 1, section 11.3.10). */
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
      // TagModule finds these mistakes, by paragraph.
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
