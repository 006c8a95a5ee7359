import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Mistake } from './errors.ts';
import { mistakesOf } from './schema-mistakes.ts';

const SCHEMAS = new URL('../../schemas/', import.meta.url);

/** A JSON Schema of `schemas/`, as far as code looks into it. */
export interface Schema {
  $id: string;
  title: string;
  description: string;
  properties?: Record<string, Schema & { default?: unknown; type?: string; 'x-secret'?: boolean }>;
  [key: string]: unknown;
}

/** All schemas of `schemas/`, by file name. Read once: they are the one source of every wire shape. */
export const schemas: ReadonlyMap<string, Schema> = new Map(
  readdirSync(SCHEMAS)
    .filter((name) => name.endsWith('.json'))
    .map((name): [string, Schema] => [name, JSON.parse(readFileSync(new URL(name, SCHEMAS), 'utf8'))])
    .filter(([, schema]) => schema.$id !== undefined),
);

/** A larger value is only told its first mistake: all findings of a hostile one would not fit into memory. */
const MAX_NODES = 100_000;

const strict = compiler({});
const complete = compiler({ allErrors: true, verbose: true });
const fromText = compiler({ allErrors: true, verbose: true, coerceTypes: true, useDefaults: true });

/** Either the value, now of the schema's type, or what is wrong with it. */
export type Checked<T> = { ok: true; value: T } | { ok: false; mistakes: [Mistake, ...Mistake[]] };

/**
 * The validator of one schema file.
 * @param name file name in `schemas/`
 * @param options.coerce for values that arrive as text (environment, form fields): `"5"` is the integer 5; absent
 *   members get their defaults. The value is then changed in place.
 */
export function validator<T>(name: string, options: { coerce?: boolean } = {}): (value: unknown) => Checked<T> {
  const root = schemas.get(name);
  if (!root) throw new TypeError(`no schema ${name}`);
  const compiled = (ajv: () => Ajv): ValidateFunction<T> => ajv().getSchema(name) as ValidateFunction<T>;
  const validate = compiled(options.coerce ? fromText : strict);
  return (value) => {
    if (validate(value)) return { ok: true, value };
    const thorough = options.coerce || nodes(value, MAX_NODES) > MAX_NODES ? validate : compiled(complete);
    thorough(value);
    return { ok: false, mistakes: mistakesOf(thorough.errors ?? [], root) };
  };
}

/** How many values a value consists of; counting ends above `limit`. */
function nodes(value: unknown, limit: number): number {
  let count = 0;
  const left = [value];
  while (left.length > 0 && count <= limit) {
    const next = left.pop();
    count++;
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) left.push(member);
  }
  return count;
}

/** Made when it is first needed: each takes megabytes, and a service that only reads its configuration needs one. */
function compiler(options: ConstructorParameters<typeof Ajv>[0]): () => Ajv {
  let made: Ajv | undefined;
  return () => {
    made ??= newCompiler(options);
    return made;
  };
}

function newCompiler(options: ConstructorParameters<typeof Ajv>[0]): Ajv {
  const ajv = new Ajv({ ...options, strict: true, strictRequired: false, allowUnionTypes: true, discriminator: true });
  formats.default(ajv, ['date-time']);
  ajv.addFormat('binary', true);
  for (const keyword of ['x-secret', 'x-schema']) ajv.addKeyword(keyword);
  for (const schema of schemas.values()) ajv.addSchema(schema);
  return ajv;
}
