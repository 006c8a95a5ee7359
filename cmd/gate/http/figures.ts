import type { RequestHandler } from 'express';
import type { GateLimits, GateStatus } from '../../../src/common/generated/wire.ts';

export interface FigureHandlers {
  status: () => Promise<GateStatus>;
  limits: () => GateLimits;
}

/** `GET /svc/healthz`: the process is alive, whatever the editor does. */
export function getHealthz(): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', 'no-store').json({ ok: true });
  };
}

/** `GET /svc/status` (contract: Gate status). */
export function getStatus({ status }: Pick<FigureHandlers, 'status'>): RequestHandler {
  return async (_request, response) => {
    const body = await status();
    response.setHeader('Cache-Control', 'no-store').json(body);
  };
}

/** `GET /svc/limits` (contract: Gate limits). */
export function getLimits({ limits }: Pick<FigureHandlers, 'limits'>): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', 'no-store').json(limits());
  };
}
