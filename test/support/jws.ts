import { createHmac, createPrivateKey, sign } from 'node:crypto';
import type { Ed25519PrivateJwk } from '../../src/common/crypto/key-set.ts';

/** Signs the text `header.payload`. */
export type Signer = (input: string) => Buffer;

export const hmac =
  (bits: 256 | 384 | 512, secret: string | Buffer): Signer =>
  (input) =>
    createHmac(`sha${bits}`, secret).update(input).digest();

export const ed25519 =
  (jwk: Ed25519PrivateJwk): Signer =>
  (input) =>
    sign(null, Buffer.from(input), createPrivateKey({ key: { ...jwk }, format: 'jwk' }));

/** A compact JWS made by hand, so that it can be as wrong as it likes. Text is taken as it is, objects as JSON. */
export function jws(header: object | string, payload: unknown, signer: Signer): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${signer(input).toString('base64url')}`;
}

function encode(value: unknown): string {
  const text = Buffer.isBuffer(value) ? value : typeof value === 'string' ? value : JSON.stringify(value);
  return Buffer.from(text).toString('base64url');
}
