import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Mistake } from './errors.ts';
import { describeMistakes, ENGLISH, VIETNAMESE } from './schema-mistakes.ts';

const SCHEMAS = new URL('../../schemas/', import.meta.url);

/** A JSON Schema of `schemas/`, as far as code looks into it. */
export interface Schema {
  $id: string;
  title: string;
  description: string;
  properties?: Record<string, Property>;
  [key: string]: unknown;
}

/** A member of an object: of a configuration's, one of its variables. */
export type Property = Schema & { default?: unknown; type?: string; 'x-secret'?: boolean };

/** All schemas of `schemas/`, by file name. Read once: they are the one source of every wire shape. */
export const schemas: ReadonlyMap<string, Schema> = new Map(
  readdirSync(SCHEMAS)
    .filter((name) => name.endsWith('.json'))
    .map((name): [string, Schema] => [name, JSON.parse(readFileSync(new URL(name, SCHEMAS), 'utf8'))])
    .filter(([, schema]) => schema.$id !== undefined),
);

/**
 * Limit above which only the first mistake is reported: finding all takes time that grows with the square of their
 * number, 60 ms for 8,000 and minutes for 100,000.
 */
const MAX_NODES = 8_000;

const strict = compiler({});
const first = compiler({ verbose: true });
const complete = compiler({ allErrors: true, verbose: true });
const fromText = compiler({ allErrors: true, verbose: true, coerceTypes: true, useDefaults: true });

/** Either the value, now of the schema's type, or what is wrong with it. */
export type Checked<T> = { ok: true; value: T } | { ok: false; mistakes: [Mistake, ...Mistake[]] };

/**
 * The validator of one schema file.
 * @param name file name in `schemas/`
 * @param options.coerce for the environment, whose values are text: `"5"` is the integer 5; absent members get their
 *   defaults; the value is changed in place; mistakes are in English, as logs are.
 */
export function validator<T>(name: string, options: { coerce?: boolean } = {}): (value: unknown) => Checked<T> {
  const root = schemas.get(name);
  if (!root) throw new TypeError(`no schema ${name}`);
  const compiled = (ajv: () => Ajv): ValidateFunction<T> => ajv().getSchema(name) as ValidateFunction<T>;
  const validate = compiled(options.coerce ? fromText : strict);
  return (value) => {
    if (validate(value)) return { ok: true, value };
    const describing = options.coerce ? validate : compiled(hasMoreNodes(value, MAX_NODES) ? first : complete);
    describing(value);
    return {
      ok: false,
      mistakes: describeMistakes(describing.errors ?? [], root, options.coerce ? ENGLISH : VIETNAMESE),
    };
  };
}

/** Returns whether a value consists of more values than `limit`. Looks at little more than so many, and into no longer list. */
function hasMoreNodes(value: unknown, limit: number): boolean {
  let count = 1;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    count += Array.isArray(next) ? next.length : Object.keys(next).length;
    if (count > limit) return true;
    for (const member of Object.values(next)) left.push(member);
  }
  return false;
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
