import type { SourceFormat } from '../../formats.ts';
import type { IndexElement } from './package-index.ts';

/** The reason why a package counts as one with macros (contract: macro_not_allowed). */
export interface Macros {
  reason: 'vba_project' | 'macro_content_type' | 'basic' | 'scripts';
  part: string;
}

const OOXML = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';

/** Content types of an OOXML package's main part (ECMA-376 part 1, section 15.2; [MS-OFFMACRO2] for the macro ones). */
const MAIN_PARTS: Readonly<Record<string, SourceFormat>> = lookup({
  [`${OOXML}.wordprocessingml.document.main+xml`]: 'docx',
  'application/vnd.ms-word.document.macroenabled.main+xml': 'docm',
  [`${OOXML}.wordprocessingml.template.main+xml`]: 'dotx',
  'application/vnd.ms-word.template.macroenabledtemplate.main+xml': 'dotm',
  [`${OOXML}.spreadsheetml.sheet.main+xml`]: 'xlsx',
  'application/vnd.ms-excel.sheet.macroenabled.main+xml': 'xlsm',
  [`${OOXML}.spreadsheetml.template.main+xml`]: 'xltx',
  'application/vnd.ms-excel.template.macroenabled.main+xml': 'xltm',
  [`${OOXML}.presentationml.presentation.main+xml`]: 'pptx',
  'application/vnd.ms-powerpoint.presentation.macroenabled.main+xml': 'pptm',
  [`${OOXML}.presentationml.slideshow.main+xml`]: 'ppsx',
  'application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml': 'ppsm',
  [`${OOXML}.presentationml.template.main+xml`]: 'potx',
  'application/vnd.ms-powerpoint.template.macroenabled.main+xml': 'potm',
});

/** Media types of OpenDocument packages, and of the flat files, which use the same (ODF 1.3 part 2, section 3.3). */
const ODF_PACKAGES: Readonly<Record<string, SourceFormat>> = lookup({
  [`${ODF}.text`]: 'odt',
  [`${ODF}.text-template`]: 'ott',
  [`${ODF}.spreadsheet`]: 'ods',
  [`${ODF}.spreadsheet-template`]: 'ots',
  [`${ODF}.presentation`]: 'odp',
  [`${ODF}.presentation-template`]: 'otp',
});

const ODF_FLAT: Readonly<Record<string, SourceFormat>> = lookup({
  [`${ODF}.text`]: 'fodt',
  [`${ODF}.spreadsheet`]: 'fods',
  [`${ODF}.presentation`]: 'fodp',
});

/** Packages that are known and not taken, by what their main part or media type says. */
const FOREIGN: [pattern: RegExp, format: string][] = [
  [/ms-excel\.sheet\.binary/, 'xlsb'],
  [/ms-visio|\.visio\./, 'vsdx'],
  [/opendocument\.graphics/, 'odg'],
  [/opendocument\.formula/, 'odf'],
  [/opendocument\.base|opendocument\.database/, 'odb'],
  [/opendocument\.text-master/, 'odm'],
  [/sun\.xml\.writer/, 'sxw'],
  [/sun\.xml\.calc/, 'sxc'],
  [/sun\.xml\.impress/, 'sxi'],
  [/epub\+zip/, 'epub'],
];

/** A package's format, or the name of the one it has instead. */
export type PackageFormat = { format: SourceFormat } | { foreign: string } | undefined;

/**
 * The name of the part that a package's relationships call the document; empty if none (ECMA-376 part 2, section 6.5).
 * @param relationships elements of `_rels/.rels`
 */
export function mainPart(relationships: readonly IndexElement[]): string {
  return related(relationships, '/officeDocument')?.replace(/^\//, '') ?? '';
}

/** The name of the part with a part's relationships (ECMA-376 part 2, section 6.5.2). */
export function relationshipsPart(part: string): string {
  return part.replace(/[^/]*$/, '_rels/$&.rels');
}

/**
 * The format of an OOXML package: the content type of its main part (ECMA-376 part 2, section 7.2.3).
 * @param contentTypes elements of `[Content_Types].xml`
 */
export function ooxmlFormat(contentTypes: readonly IndexElement[], mainPart: string): PackageFormat {
  const overrides = called(contentTypes, 'Override');
  const main = overrides.find(({ plain }) => mainPart !== '' && partName(plain['PartName']) === partName(mainPart));
  if (main) return known(MAIN_PARTS, [getContentType(main)]);
  return known(MAIN_PARTS, [...overrides, ...called(contentTypes, 'Default')].map(getContentType));
}

/**
 * The content type of each part of an OOXML package by the part's name; empty if it has none (part 2, section 7.2.3).
 * @param contentTypes elements of `[Content_Types].xml`
 */
export function partTypes(contentTypes: readonly IndexElement[]): (part: string) => string {
  const overrides = new Map(
    called(contentTypes, 'Override').map((element) => [partName(element.plain['PartName']), getContentType(element)]),
  );
  const defaults = new Map(
    called(contentTypes, 'Default').map((element) => [
      (element.plain['Extension'] ?? '').toLowerCase(),
      getContentType(element),
    ]),
  );
  return (part) => {
    const name = partName(part);
    return overrides.get(name) ?? defaults.get(name.slice(name.lastIndexOf('.') + 1)) ?? '';
  };
}

/** The format of an OpenDocument package or, with `flat`, of a flat file, by its media type. */
export function odfFormat(mediaType: string, flat = false): PackageFormat {
  return known(flat ? ODF_FLAT : ODF_PACKAGES, [mediaType.trim().toLowerCase()]);
}

/** The media type of the package itself as its manifest has it (ODF 1.3 part 2, section 4.8.4). */
export function manifestMediaType(manifest: readonly IndexElement[]): string | undefined {
  return called(manifest, 'file-entry').find(({ own }) => own['full-path'] === '/')?.own['media-type'];
}

/** The parts that are encrypted by what a manifest says (ODF 1.3 part 2, section 4.8.2): all of them, or one library of macros. */
export function encryptedParts(manifest: readonly IndexElement[]): ReadonlySet<string> {
  const parts = new Set<string>();
  let part = '';
  for (const { name, own } of manifest) {
    if (name === 'file-entry') part = own['full-path'] ?? '';
    if (name === 'encryption-data') parts.add(part);
  }
  return parts;
}

/**
 * Macros of an OOXML package, found by a part's name, by a content type, or by a relationship of the main part.
 * @param contentTypes elements of `[Content_Types].xml`
 * @param relationships elements of the main part's relationships
 */
export function ooxmlMacros(
  names: Iterable<string>,
  contentTypes: readonly IndexElement[],
  relationships: readonly IndexElement[],
): Macros | null {
  for (const part of names) if (/(^|\/)vbaProject\.bin$/i.test(part)) return { reason: 'vba_project', part };
  for (const element of [...called(contentTypes, 'Override'), ...called(contentTypes, 'Default')]) {
    const part = partName(element.plain['PartName']) || `*.${element.plain['Extension'] ?? ''}`;
    if (getContentType(element) === 'application/vnd.ms-office.vbaproject') return { reason: 'vba_project', part };
    if (getContentType(element).includes('macroenabled')) return { reason: 'macro_content_type', part };
  }
  const project = related(relationships, '/vbaProject');
  return project === undefined ? null : { reason: 'vba_project', part: project };
}

/** The target of the first relationship whose type ends like this. */
function related(relationships: readonly IndexElement[], type: string): string | undefined {
  const found = called(relationships, 'Relationship').find(({ plain }) =>
    plain['Type']?.toLowerCase().endsWith(type.toLowerCase()),
  );
  return found?.plain['Target'];
}

/** Macros of an OpenDocument package, found by the folders that hold them. */
export function odfMacros(names: Iterable<string>): Macros | null {
  for (const part of names) {
    if (part.startsWith('Basic/')) return { reason: 'basic', part };
    if (part.startsWith('Scripts/')) return { reason: 'scripts', part };
  }
  return null;
}

function known(table: Readonly<Record<string, SourceFormat>>, types: string[]): PackageFormat {
  for (const type of types) {
    const format = table[type];
    if (format) return { format };
  }
  const foreign = FOREIGN.find(([pattern]) => types.some((type) => pattern.test(type)));
  return foreign && { foreign: foreign[1] };
}

/** Part names are compared without their leading slash and without regard to case (ECMA-376 part 2, section 6.2.2.3). */
function partName(name: string | undefined): string {
  return (name ?? '').replace(/^\//, '').toLowerCase();
}

/** A content type without its parameters. */
function getContentType({ plain }: IndexElement): string {
  return (plain['ContentType'] ?? '').replace(/;.*/s, '').trim().toLowerCase();
}

function called(elements: readonly IndexElement[], name: string): IndexElement[] {
  return elements.filter((element) => element.name === name);
}

/** Attributes of the inside of a tag, by local name. */
export function attributes(inside: string): Record<string, string> {
  const found = lookup<string>({});
  for (const [, name = '', value = ''] of inside.matchAll(/(?<![\w.:-])([\w.:-]+)\s*=\s*("[^"]*"|'[^']*')/g)) {
    found[name.slice(name.indexOf(':') + 1)] ??= unescapeXml(value.slice(1, -1));
  }
  return found;
}

function unescapeXml(value: string): string {
  return value.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|amp);/gi, (whole, hex, decimal) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal ?? 0x26);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A table without a prototype: it is asked for names that come from files. */
function lookup<T>(entries: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null), entries);
}
