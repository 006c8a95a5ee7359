import { compile, type JSONSchema, type Options } from 'json-schema-to-typescript';
import { type Schema, schemas } from '../../src/common/schema.ts';
import { inlineReferences } from './bundle.ts';
import { forTypes, instanceSchemas } from './instance.ts';

/** Schema of svcscript. */
const SCRIPT = 'script.json';
const OPTIONS: Partial<Options> = {
  bannerComment: '// Made from schemas/ by `npm run generate`. Do not edit.',
  additionalProperties: false,
  style: { singleQuote: true, printWidth: 120 },
};

/** The script language has a module of its own: its many definitions are named for scripts, not for the interface. */
export async function scriptTypes(): Promise<string> {
  return compile(structuredClone(schemas.get(SCRIPT)) as unknown as JSONSchema, 'Script', {
    ...OPTIONS,
    ignoreMinAndMaxItems: true,
  });
}

/** One TypeScript module with a type for every other schema, named by its title. */
export async function types(): Promise<string> {
  const instance = Object.values(instanceSchemas).map((schema) => forTypes(schema) as Schema);
  const wire = [...[...schemas.values()].filter(({ $id }) => $id !== SCRIPT), ...instance];
  const all = {
    title: 'Wire',
    type: 'object',
    additionalProperties: false,
    required: wire.map(({ title }) => title),
    properties: Object.fromEntries(wire.map(({ title }) => [title, { $ref: `#/definitions/${title}` }])),
    definitions: Object.fromEntries(
      wire.map((schema) => [schema.title, inlineReferences(withoutScript(schema), '#/definitions/')]),
    ),
  };
  return compile(all as JSONSchema, 'Wire', OPTIONS);
}

/** The script inside a request has a type of the other module; a check of it gives it that type. */
function withoutScript(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'x-schema' ? undefined : value)));
}
