import type { Request } from 'express';

/**
 * The public address of the service as links show it: the configured one, else what the request was sent to.
 * The front hands on `http` or `https` as X-Forwarded-Proto: what the edge says, else its own scheme. Without an edge
 * that sets it a client chooses it, like Host: for the links in its own answers, and in the gate's callbacks
 * for the documents that it opens.
 */
export function getBaseUrl(request: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured.replace(/\/$/, '');
  const protocol = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${protocol}://${request.headers.host}`;
}
