import { readFileSync } from 'node:fs';
import type { ErrorCode } from '../../src/common/error-catalogue.ts';

/** One of DocBuilder's operations, in short. */
export interface Operation {
  method: string;
  path: string;
  id: string;
  summary: string;
  description?: string;
  auth: boolean;
  counted?: boolean;
  parameters?: Record<string, { description: string; pattern: string }>;
  /** `or`: what may be the whole body as well. */
  request?: { schema: string; multipart?: boolean; or?: string };
  responses: Record<string, Answer>;
  errors: ErrorCode[];
  /** `bad_request` with a status of its own. */
  refusals?: Record<string, Answer>;
}

/** An answer to one. */
export interface Answer {
  description: string;
  schema?: string;
  /** Media type of a JSON object that no schema describes. */
  object?: string;
  file?: boolean;
  text?: boolean;
  /** Names, besides those that any such answer has. */
  headers?: string[];
}

/** `schemas/openapi/operations.json`: what the OpenAPI document and the reference are made from, besides schemas. */
export const operations = JSON.parse(
  readFileSync(new URL('../../schemas/openapi/operations.json', import.meta.url), 'utf8'),
) as {
  docbuilder: Operation[];
  headers: Record<string, object>;
  callbackHeaders: Record<string, object>;
};
