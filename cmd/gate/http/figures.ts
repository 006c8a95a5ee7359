import type { RequestHandler } from 'express';

/** Answers with what `read` returns, as it is at this moment. */
export function sendFigures(read: () => object | Promise<object>): RequestHandler {
  return async (_request, response) => {
    const body = await read();
    response.setHeader('Cache-Control', 'no-store').json(body);
  };
}

/** `GET /svc/healthz`: the process is alive, independent of the editor. */
export function getHealthz(): RequestHandler {
  return sendFigures(() => ({ ok: true }));
}

/** `GET /svc/`, to which the front redirects `/`: the demo in development mode, else a list of pages. */
export function getHome({ devMode }: { devMode: boolean }): RequestHandler {
  if (!devMode)
    return sendFigures(() => ({
      service: 'svc',
      status: '/svc/status',
      limits: '/svc/limits',
      library: '/svc/api.js',
    }));
  return (_request, response) => response.setHeader('Cache-Control', 'no-store').redirect(302, '/svc/demo');
}
