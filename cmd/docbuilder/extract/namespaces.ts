const ODF = 'urn:oasis:names:tc:opendocument:xmlns';

/** The prefixes under which the readers know the namespaces they look at (ODF 1.3 part 3, section 1.4). */
const PREFIXES = new Map([
  [`${ODF}:office:1.0`, 'office'],
  [`${ODF}:style:1.0`, 'style'],
  [`${ODF}:text:1.0`, 'text'],
  [`${ODF}:table:1.0`, 'table'],
  [`${ODF}:drawing:1.0`, 'draw'],
  [`${ODF}:presentation:1.0`, 'presentation'],
  [`${ODF}:meta:1.0`, 'meta'],
  [`${ODF}:form:1.0`, 'form'],
  [`${ODF}:config:1.0`, 'config'],
  [`${ODF}:xsl-fo-compatible:1.0`, 'fo'],
  [`${ODF}:svg-compatible:1.0`, 'svg'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://openoffice.org/2009/office', 'officeooo'],
  ['urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0', 'loext'],
  ['urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0', 'field'],
]);
const KNOWN = new Set(PREFIXES.values());

export type Attributes = Readonly<Record<string, string | undefined>>;

export interface Renamer {
  name(name: string): string;
  attributes(attributes: Attributes): Attributes;
}

/**
 * What gives the names of a document our prefixes, by the declarations of its root element; undefined if it has them
 * already, as everything has that LibreOffice writes.
 */
export function renamer(root: Attributes): Renamer | undefined {
  const prefixes = new Map<string, string>();
  for (const [name, uri = ''] of Object.entries(root)) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    const prefix = name.slice(6);
    // A prefix of ours that means something else must not be mistaken for it.
    const ours = PREFIXES.get(uri) ?? (KNOWN.has(prefix) ? 'foreign' : prefix);
    if (ours !== prefix) prefixes.set(prefix, ours);
  }
  if (prefixes.size === 0) return undefined;
  const renamed = (name: string, plain: string): string => {
    const colon = name.indexOf(':');
    const prefix = colon < 0 ? plain : name.slice(0, colon);
    const ours = prefixes.get(prefix);
    return ours === undefined ? name : `${ours}:${name.slice(colon + 1)}`;
  };
  return {
    name: (name) => renamed(name, ''),
    // The default namespace is not for attributes (Namespaces in XML 1.0, section 6.2).
    attributes: (attributes) =>
      Object.fromEntries(Object.entries(attributes).map(([name, value]) => [renamed(name, 'xmlns'), value])),
  };
}
