import { normalized } from '../source/inspect/unicode.ts';

/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Finds a field: in the innermost item first, then outwards.
 * @param scopes the data itself, then one item for each list around the tag
 * @param name a key, or keys joined with dots, in normalization form C; `.` is the innermost item
 * @returns `undefined` if nobody has it
 */
export function findField(scopes: readonly Json[], name: string): Json | undefined {
  if (name === '.') return scopes.at(-1);
  for (let depth = scopes.length - 1; depth >= 0; depth--) {
    const value = fieldOf(scopes[depth], name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function fieldOf(scope: Json | undefined, name: string): Json | undefined {
  const whole = own(scope, name);
  if (whole !== undefined || !name.includes('.')) return whole;
  let value = scope;
  for (const key of name.split('.')) value = own(value, key);
  return value;
}

/**
 * A member of the JSON value itself: nothing inherited, no length. Accented letters have two spellings in Unicode, and a
 * template typed on one system meets data from another.
 */
function own(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as { readonly [name: string]: Json };
  for (const spelling of spellings(key)) if (isEnumerable.call(members, spelling)) return members[spelling];
  return undefined;
}

const isEnumerable = Object.prototype.propertyIsEnumerable;

function spellings(key: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII has one spelling
  return /^[\x00-\x7f]*$/.test(key) ? [key] : [key, normalized(key, 'NFD')];
}

/** From here on numbers are written with an exponent, and nobody takes their digits for exact. */
const EXPONENT = 1e21;

/**
 * Whether a number may have been another one in the JSON text: beyond 2^53 its last digits are not kept (RFC 8259, 6). An
 * account number would stand in a letter with other digits.
 */
export function hasLostDigits(value: Json): boolean {
  if (typeof value !== 'number') return false;
  const size = Math.abs(value);
  return size === Number.POSITIVE_INFINITY || (size > Number.MAX_SAFE_INTEGER && size < EXPONENT);
}

/** A value as text; undefined for lists and objects, which have none. */
export function textOf(value: Json): string | undefined {
  if (value === null) return '';
  return typeof value === 'object' ? undefined : String(value);
}
