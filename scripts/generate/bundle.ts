import { type Schema, schemas } from '../../src/common/schema.ts';

const REFERENCE = /"(\$ref|x-schema)":"([^"#]+)"/g;

/**
 * A schema whose references to other files (`job.json`) are references into one document (`#/definitions/Job`), and
 * whose own definitions are found there below it (`#/definitions/Script/definitions/block`).
 * @param prefix where the document keeps its schemas, by title
 */
export function inlineReferences(schema: Schema, prefix: string): Record<string, unknown> {
  const { $schema: _, $id: __, ...rest } = schema;
  return rewrite(rest, prefix, schema.title) as Record<string, unknown>;
}

/**
 * The schemas named, and those they refer to.
 * @param keywords that refer to another file
 */
export function reachable(names: readonly string[], keywords: readonly string[] = ['$ref']): Set<string> {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const [, keyword = '', other = ''] of JSON.stringify(schemas.get(name)).matchAll(REFERENCE))
      if (keywords.includes(keyword)) visit(other);
  };
  names.forEach(visit);
  return seen;
}

function rewrite(value: unknown, prefix: string, title: string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, prefix, title));
  if (typeof value !== 'object' || value === null) return value;
  const { 'x-schema': whole, ...members } = value as Record<string, unknown>;
  if (typeof whole === 'string') return { $ref: prefix + toTitle(whole), description: members['description'] };
  return Object.fromEntries(
    Object.entries(members).map(([key, member]) => {
      if (key !== '$ref' || typeof member !== 'string') return [key, rewrite(member, prefix, title)];
      if (member.startsWith('#/')) return [key, prefix + title + member.slice(1)];
      return [key, prefix + toTitle(member)];
    }),
  );
}

function toTitle(name: string): string {
  const target = schemas.get(name);
  if (!target) throw new Error(`${name} is referred to but does not exist`);
  return target.title;
}
