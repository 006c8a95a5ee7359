/** OpenSSL's codes in Node. */
const UNKNOWN_AUTHORITY = /^(?:UNABLE_TO_(?:VERIFY|GET)_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED_)/;

/** Returns whether the server's certificate is signed by no known authority. */
export function isUnknownAuthority(code: string | undefined): boolean {
  return UNKNOWN_AUTHORITY.test(code ?? '');
}
