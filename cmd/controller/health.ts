import type { RequestListener } from 'node:http';

/** The answers of the health server. */
export interface Health {
  /** Why this process should be restarted; undefined: it works. */
  unhealthy(): string | undefined;
  /** Why it cannot do its work yet; undefined: it can. */
  notReady(): string | undefined;
  /** Figures for people and tests. */
  figures(): object;
}

/** `GET /healthz`, `/readyz` (200 or 503 with the reason) and `/status` (JSON). */
export function healthApp({ unhealthy, notReady, figures }: Health): RequestListener {
  const checks: Readonly<Record<string, () => string | undefined>> = { '/healthz': unhealthy, '/readyz': notReady };
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    } else if (path === '/status') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(figures()));
    } else if (checks[path]) {
      const problem = checks[path]();
      response
        .writeHead(problem === undefined ? 200 : 503, { 'Content-Type': 'text/plain; charset=utf-8' })
        .end(problem ?? 'ok');
    } else {
      response.writeHead(404).end();
    }
  };
}
