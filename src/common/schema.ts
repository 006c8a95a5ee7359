import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { Mistake } from './errors.ts';

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

const strict = compiler({ allErrors: true });
const fromText = compiler({ allErrors: true, coerceTypes: true, useDefaults: true });

/** Either the value, now of the schema's type, or what is wrong with it. */
export type Checked<T> = { ok: true; value: T } | { ok: false; mistakes: [Mistake, ...Mistake[]] };

/**
 * The validator of one schema file.
 * @param name file name in `schemas/`
 * @param options.coerce for values that arrive as text (environment, form fields): `"5"` is the integer 5; absent
 *   members get their defaults. The value is then changed in place.
 */
export function validator<T>(name: string, options: { coerce?: boolean } = {}): (value: unknown) => Checked<T> {
  const found = (options.coerce ? fromText : strict).getSchema(name);
  if (!found) throw new TypeError(`no schema ${name}`);
  const validate = found as ValidateFunction<T>;
  return (value) => {
    if (validate(value)) return { ok: true, value };
    const [first, ...rest] = (validate.errors ?? []).filter((error) => error.keyword !== 'anyOf').map(mistakeOf);
    return { ok: false, mistakes: [first ?? { path: '', message: 'is not valid' }, ...rest] };
  };
}

function compiler(options: ConstructorParameters<typeof Ajv>[0]): Ajv {
  const ajv = new Ajv({ ...options, strict: true, allowUnionTypes: true });
  formats.default(ajv, ['date-time']);
  ajv.addFormat('binary', true);
  ajv.addKeyword('x-secret');
  for (const schema of schemas.values()) ajv.addSchema(schema);
  return ajv;
}

/** Ajv's finding as a JSON Pointer and a sentence that says what would be right. */
function mistakeOf(error: ErrorObject): Mistake {
  switch (error.keyword) {
    case 'required':
      return { path: `${error.instancePath}/${error.params['missingProperty']}`, message: 'is required' };
    case 'additionalProperties':
      return { path: `${error.instancePath}/${error.params['additionalProperty']}`, message: 'is not known' };
    case 'enum':
      return { path: error.instancePath, message: `must be one of ${error.params['allowedValues'].join(', ')}` };
    default:
      return { path: error.instancePath, message: error.message ?? 'is not valid' };
  }
}
