import { create } from 'content-disposition';

/**
 * Returns `Content-Disposition: attachment` with a file name (RFC 6266), and the name without accents for clients
 * without `filename*`.
 */
export function attachment(filename: string): string {
  // A name of JSON may hold half a character.
  const name = filename.toWellFormed();
  const plain = name.replace(/đ/g, 'd').replace(/Đ/g, 'D').normalize('NFD').replace(/\p{M}/gu, '');
  const fallback = plain.replace(/[^\x20-\x7e]/g, '_');
  // With a fallback that is the name itself, an escape such as %41 in it would go out as it is, which browsers decode.
  return fallback === name ? create(name) : create(name, { fallback });
}
