import type { RequestHandler } from 'express';

/**
 * `GET /svc/`, where the front sends who asks for `/`: the demo in development mode, else what this is. Not in the
 * contract; a person who types the address in should not read that it is wrong.
 */
export function getHome({ devMode }: { devMode: boolean }): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    if (devMode) {
      response.redirect(302, '/svc/demo');
      return;
    }
    response.json({ service: 'svc', status: '/svc/status', limits: '/svc/limits', library: '/svc/api.js' });
  };
}
