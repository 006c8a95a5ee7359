import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { type Figures, formats } from '../domain/status.ts';

export interface FigureHandlers {
  figures: Figures;
}

export function getStatus({ figures }: FigureHandlers): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', 'no-store').json(figures.status());
  };
}

export function getLimits({ figures }: FigureHandlers): RequestHandler {
  return (_request, response) => {
    response.setHeader('Cache-Control', 'no-store').json(figures.limits());
  };
}

export function getFormats(): RequestHandler {
  const body = formats();
  return (_request, response) => {
    response.json(body);
  };
}

export function getOpenapi(): RequestHandler {
  const body = readFileSync(new URL('../../../schemas/openapi/docbuilder.json', import.meta.url), 'utf8');
  return (_request, response) => {
    response.type('application/json').send(body);
  };
}
