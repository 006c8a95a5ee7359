import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds by which the sender's clock and ours may differ. */
const TOLERANCE = 300;

/** Why a request is not to be trusted: `no_secret`, `unsigned`, `timestamp`, `late` or `signature`. */
export class VerificationError extends Error {
  constructor(reason) {
    super(`callback refused: ${reason}`);
    this.reason = reason;
  }
}

/**
 * Returns when the request was signed with one of the secrets and is fresh; throws a VerificationError otherwise.
 * @param headers names in lower case, as node:http gives them, or a Headers object
 * @param {Buffer} rawBody the bytes as they came in; a body that was parsed and written again has another signature
 * @param {string[]} secrets the one in use and, during a rotation, the other one
 * @param {number} now Unix seconds
 */
export function verify(headers, rawBody, secrets, now = Date.now() / 1000) {
  const timestamp = header(headers, 'x-svc-timestamp');
  const signature = header(headers, 'x-svc-signature');
  // Anybody can sign with an empty key.
  const keys = secrets.filter((secret) => secret !== '');
  if (keys.length === 0) throw new VerificationError('no_secret');
  if (signature === '') throw new VerificationError('unsigned');
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new VerificationError('timestamp');
  if (Math.abs(now - Number(timestamp)) > TOLERANCE) throw new VerificationError('late');
  if (!keys.some((key) => equal(signature, sign(key, timestamp, rawBody)))) throw new VerificationError('signature');
}

function sign(key, timestamp, rawBody) {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(rawBody).digest('hex')}`;
}

/** Takes the same time wherever the two differ, so that nobody can guess a signature byte by byte. */
function equal(given, expected) {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function header(headers, name) {
  return String((typeof headers.get === 'function' ? headers.get(name) : headers[name]) ?? '');
}
