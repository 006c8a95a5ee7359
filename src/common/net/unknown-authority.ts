/** Codes of OpenSSL, as Node has them. */
const UNKNOWN_AUTHORITY = /^(?:UNABLE_TO_(?:VERIFY|GET)_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED_)/;

/**
 * Returns whether a connection has failed since no authority that is known here has signed the server's certificate.
 */
export function isUnknownAuthority(code: string | undefined): boolean {
  return UNKNOWN_AUTHORITY.test(code ?? '');
}
