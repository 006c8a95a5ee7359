import { type Schema, schemas } from '../../src/common/schema.ts';

/**
 * A schema whose references to other files (`job.json`) are references into one document (`#/definitions/Job`).
 * @param prefix where the document keeps its schemas, by title
 */
export function inlineReferences(schema: Schema, prefix: string): Record<string, unknown> {
  const { $schema: _, $id: __, ...rest } = schema;
  return rewrite(rest, prefix) as Record<string, unknown>;
}

function rewrite(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, prefix));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key !== '$ref' || typeof member !== 'string') return [key, rewrite(member, prefix)];
      const target = schemas.get(member);
      if (!target) throw new Error(`${member} is referred to but does not exist`);
      return [key, `${prefix}${target.title}`];
    }),
  );
}
