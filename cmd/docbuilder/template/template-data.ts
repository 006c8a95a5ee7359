import { normalized } from '../source/inspect/unicode.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * Finds a field in one scope.
 * @param name a key, or keys joined with dots, in normalization form C
 * @returns undefined if the scope does not have it; `null` is a value
 */
export function getField(scope: Json | undefined, name: string): Json | undefined {
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
  const spelling = [key, normalized(key, 'NFD')].find((name) => isEnumerable.call(members, name));
  return spelling === undefined ? undefined : members[spelling];
}

const isEnumerable = Object.prototype.propertyIsEnumerable;

/** From here on numbers are written with an exponent, and nobody takes their digits for exact. */
const EXPONENT = 1e21;

/**
 * Returns true if a number may have been another one in the JSON text: beyond 2^53 its last digits are not kept (RFC
 * 8259, section 6). An account number would stand in a letter with other digits.
 */
function hasLostDigits(value: Json): boolean {
  if (typeof value !== 'number') return false;
  const size = Math.abs(value);
  return size === Number.POSITIVE_INFINITY || (size > Number.MAX_SAFE_INTEGER && size < EXPONENT);
}

/** Returns a value as text. @param complain is told what is wrong with the value */
export function textFrom(value: Json, complain: (message: string) => void): string {
  if (hasLostDigits(value)) complain('số có nhiều chữ số hơn mức JSON giữ được: hãy gửi dưới dạng chuỗi');
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  complain('dữ liệu có danh sách hoặc đối tượng ở chỗ cần văn bản');
  return '';
}

/** Returns the items of a value that is to be repeated; `null` has none. @param complain is told what is wrong with the value */
export function listFrom(value: Json, complain: (message: string) => void): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (value !== null) complain('chỉ lặp được danh sách; không hỗ trợ điều kiện');
  return [];
}
