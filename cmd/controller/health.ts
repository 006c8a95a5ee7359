import type { RequestListener } from 'node:http';

/**
 * @param checks by path: what is wrong (503), or undefined (200)
 * @param figures of `/status`
 */
export function healthApp(
  checks: Readonly<Record<string, () => string | undefined>>,
  figures: () => object,
): RequestListener {
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (path === '/status') {
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
