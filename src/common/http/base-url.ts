import type { Request } from 'express';

/**
 * The public address of the service as links show it: the configured one, else what the request was sent to.
 * The front proxy sets X-Forwarded-Proto itself.
 */
export function baseUrlOf(request: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured.replace(/\/$/, '');
  const protocol = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${protocol}://${request.headers.host}`;
}
