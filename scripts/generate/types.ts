import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { schemas } from '../../src/common/schema.ts';
import { inlineReferences } from './bundle.ts';

/** One TypeScript module with a type for every schema, named by its title. */
export async function types(): Promise<string> {
  const all = {
    title: 'Wire',
    type: 'object',
    additionalProperties: false,
    required: [...schemas.values()].map(({ title }) => title),
    properties: Object.fromEntries(
      [...schemas.values()].map(({ title }) => [title, { $ref: `#/definitions/${title}` }]),
    ),
    definitions: Object.fromEntries(
      [...schemas.values()].map((schema) => [schema.title, inlineReferences(schema, '#/definitions/')]),
    ),
  };
  return compile(all as JSONSchema, 'Wire', {
    bannerComment: '// Made from schemas/ by `npm run generate`. Do not edit.',
    additionalProperties: false,
    style: { singleQuote: true, printWidth: 120 },
  });
}
