import type { Request } from 'express';

/**
 * Returns the public address for links: the configured one, else that of the request. The front sets X-Forwarded-Proto
 * to the edge's value, else its own scheme. Without such an edge a client chooses it, like Host, for links in its own
 * answers and in callbacks of documents that it opens.
 */
export function getBaseUrl(request: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured.replace(/\/$/, '');
  const protocol = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${protocol}://${request.headers.host}`;
}
