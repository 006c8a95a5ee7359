import { randomUUID } from 'node:crypto';

/** Returns a request id: `req_` + 16 hex (contract: Identifiers). `randomUUID` keeps random bytes for many. */
export function requestId(): string {
  const uuid = randomUUID();
  return `req_${uuid.slice(19, 23)}${uuid.slice(24)}`;
}
