import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Mistake } from './errors.ts';
import { describeMistakes, ENGLISH, VIETNAMESE } from './schema-mistakes.ts';

const SCHEMAS = new URL('../../schemas/', import.meta.url);

/** A JSON Schema of `schemas/`. */
export interface Schema {
  $id: string;
  title: string;
  description: string;
  properties?: Record<string, Property>;
  [key: string]: unknown;
}

/** A member of an object, such as a variable of a configuration. */
export type Property = Schema & { default?: unknown; type?: string; 'x-secret'?: boolean };

/** All schemas of `schemas/` by file name. */
export const schemas: ReadonlyMap<string, Schema> = new Map(
  readdirSync(SCHEMAS)
    .filter((name) => name.endsWith('.json'))
    .map((name): [string, Schema] => [name, JSON.parse(readFileSync(new URL(name, SCHEMAS), 'utf8'))])
    .filter(([, schema]) => schema.$id !== undefined),
);

/**
 * Above this size only the first mistake is reported: the time to find all grows with the square of their number, 60 ms
 * for 8,000 and minutes for 100,000.
 */
const MAX_NODES = 8_000;

const OPTIONS = {
  strict: {},
  first: { verbose: true },
  complete: { allErrors: true, verbose: true },
  fromText: { allErrors: true, verbose: true, coerceTypes: true, useDefaults: true },
} as const;
/** Each takes megabytes, so it is made at its first use. */
const compilers = new Map<keyof typeof OPTIONS, Ajv>();

/** The value, of the schema's type, or its mistakes. */
export type Checked<T> = { ok: true; value: T } | { ok: false; mistakes: [Mistake, ...Mistake[]] };

/**
 * Returns the validator of a file in `schemas/`.
 * @param options.coerce for the environment: values are text, absent members get their defaults, the value is changed
 *   in place, and mistakes are in English
 */
export function validator<T>(name: string, options: { coerce?: boolean } = {}): (value: unknown) => Checked<T> {
  const root = schemas.get(name);
  if (!root) throw new TypeError(`no schema ${name}`);
  const compiled = (kind: keyof typeof OPTIONS) => getCompiler(kind).getSchema(name) as ValidateFunction<T>;
  const validate = compiled(options.coerce ? 'fromText' : 'strict');
  return (value) => {
    if (validate(value)) return { ok: true, value };
    const describing = options.coerce ? validate : compiled(hasMoreNodes(value, MAX_NODES) ? 'first' : 'complete');
    describing(value);
    return {
      ok: false,
      mistakes: describeMistakes(describing.errors ?? [], root, options.coerce ? ENGLISH : VIETNAMESE),
    };
  };
}

/** Returns whether a value consists of more than `limit` values; stops counting there. */
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

function getCompiler(kind: keyof typeof OPTIONS): Ajv {
  const made = compilers.get(kind);
  if (made) return made;
  const own = { strict: true, strictRequired: false, allowUnionTypes: true, discriminator: true };
  const ajv = new Ajv({ ...OPTIONS[kind], ...own });
  compilers.set(kind, ajv);
  formats.default(ajv, ['date-time']);
  ajv.addFormat('binary', true);
  for (const keyword of ['x-secret', 'x-schema']) ajv.addKeyword(keyword);
  for (const schema of schemas.values()) ajv.addSchema(schema);
  return ajv;
}
