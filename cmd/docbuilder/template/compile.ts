import Docxtemplater from 'docxtemplater';
import type { PartTag } from './prepare.ts';
import { tagModule, type ValueSource } from './tag-module.ts';

const PART = 'part.xml';
const CONTENT_TYPES = '[Content_Types].xml';
const MAIN_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

/** A part whose lists are paired and laid over rows and paragraphs. */
export interface CompiledPart {
  /** The part's XML, filled; can be done once. */
  render(values: ValueSource): Uint8Array;
}

/** A list of which the library could not say what is to be repeated. */
export class BadLoop extends Error {
  readonly tags: readonly PartTag[];

  constructor(tags: readonly PartTag[], cause: unknown) {
    super('no part of the document can be repeated', { cause });
    this.tags = tags;
  }
}

/**
 * Compiles one prepared part with docxtemplater, which sees no names, only numbers: its own kinds of tags, its parser and
 * its file handling have no part in this.
 * @throws {BadLoop} a list begins and ends where nothing whole stands between
 */
export function compilePart(xml: string, tags: readonly PartTag[]): CompiledPart {
  const zip = packageOf(xml);
  const module = tagModule();
  let compiled: Docxtemplater;
  try {
    compiled = new Docxtemplater(zip, {
      delimiters: { start: '{{', end: '}}' },
      syntax: { changeDelimiterPrefix: null },
      paragraphLoop: true,
      errorLogging: false,
      warnFn: () => {},
      fileTypeConfig: fileTypeConfig(),
      parser: module.parser,
      modules: [module],
    });
  } catch (error) {
    throw badLoop(error, tags);
  }
  return {
    render(values) {
      module.fillFrom(values);
      compiled.render({});
      return zip.result();
    },
  };
}

/** The library's own description of Word files, without raw XML and with text in `w:t` only. */
function fileTypeConfig(): object {
  const config = (Docxtemplater as unknown as { FileTypeConfig: { docx(): Config } }).FileTypeConfig.docx();
  const unwanted = new Set(['RawXmlModule', 'SpacePreserveModule']);
  return {
    ...config,
    tagsXmlTextArray: ['w:t'],
    tagsXmlLexedArray: [...config.tagsXmlLexedArray, 'wp:docPr'],
    templatedNs: [],
    baseModules: config.baseModules.filter((make) => !unwanted.has(make().name)),
  };
}

interface Config {
  tagsXmlLexedArray: string[];
  baseModules: (() => { name: string })[];
}

interface LibraryError {
  properties?: { errors?: LibraryError[]; xtag?: string; id?: string };
}

function badLoop(error: unknown, tags: readonly PartTag[]): unknown {
  const { properties } = error as LibraryError;
  if (!properties) return error;
  const numbers = (properties.errors ?? [error as LibraryError]).map((each) => Number(each.properties?.xtag));
  return new BadLoop(
    [...new Set(numbers)].flatMap((number) => tags[number] ?? []),
    error,
  );
}

/** As much of a zip library's interface as docxtemplater uses, for a package of one part. */
function packageOf(xml: string): { files: Record<string, Entry>; result(): Uint8Array } & Record<string, unknown> {
  const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${PART}" ContentType="${MAIN_TYPE}"/></Types>`;
  const files: Record<string, Entry> = {
    [CONTENT_TYPES]: { name: CONTENT_TYPES, asText: () => types },
    [PART]: { name: PART, asText: () => xml },
  };
  let filled: Uint8Array | undefined;
  return {
    files,
    file(name: string | RegExp, content?: Uint8Array): unknown {
      if (typeof name !== 'string') return Object.values(files).filter((entry) => name.test(entry.name));
      if (content === undefined) return files[name];
      if (name === PART) filled = content;
      return undefined;
    },
    remove(): void {},
    result(): Uint8Array {
      if (!filled) throw new Error('the part was not filled');
      return filled;
    },
  };
}

interface Entry {
  name: string;
  asText(): string;
}
