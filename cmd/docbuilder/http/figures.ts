import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { type Figures, formats } from './status.ts';

export interface FigureHandlers {
  figures: Figures;
}

/** `GET /v1/status` (contract: DocBuilder status). */
export function getStatus({ figures }: FigureHandlers): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', 'no-store').json(figures.status());
  };
}

/** `GET /v1/limits` (contract: DocBuilder limits). */
export function getLimits({ figures }: FigureHandlers): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', 'no-store').json(figures.limits());
  };
}

/** `GET /v1/formats`. */
export function getFormats(): RequestHandler {
  const body = formats();
  return (_request, response) => {
    response.json(body);
  };
}

/** A file of `schemas/`: the OpenAPI document, or the schema that editors complete and check scripts with. */
export function serveSchema(name: string): RequestHandler {
  const body = readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8');
  const type = name.startsWith('openapi/') ? 'application/json' : 'application/schema+json';
  return (_request, response) => {
    response.type(type).send(body);
  };
}
