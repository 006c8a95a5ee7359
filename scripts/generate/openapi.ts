import { readFileSync } from 'node:fs';
import { ERRORS, type ErrorCode } from '../../src/common/error-catalogue.ts';
import { schemas } from '../../src/common/schema.ts';
import { VERSION } from '../../src/common/version.ts';
import { inlineReferences } from './bundle.ts';

interface Operation {
  method: string;
  path: string;
  id: string;
  summary: string;
  description?: string;
  auth: boolean;
  counted?: boolean;
  parameters?: Record<string, { description: string; pattern: string }>;
  request?: { schema: string; multipart?: boolean };
  responses: Record<string, { description: string; schema?: string; file?: boolean; text?: boolean }>;
  errors: ErrorCode[];
}

const PREFIX = '#/components/schemas/';
/** Errors that any operation may answer, and those of every operation that needs a key. */
const ALWAYS: ErrorCode[] = ['internal'];
const WITH_AUTH: ErrorCode[] = ['unauthorized', 'token_expired'];

const { docbuilder } = JSON.parse(
  readFileSync(new URL('../../schemas/openapi/operations.json', import.meta.url), 'utf8'),
) as { docbuilder: Operation[] };

/** DocBuilder's OpenAPI 3.1 document, from the operations, the schemas and the error catalogue. */
export function openapi(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of docbuilder) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  const used = reachable(docbuilder.flatMap(schemaNames));
  return {
    openapi: '3.1.0',
    info: {
      title: 'SVC DocBuilder',
      version: VERSION,
      description: 'Converts, builds and reads documents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    jsonSchemaDialect: 'http://json-schema.org/draft-07/schema#',
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an HS256 JWT.' },
      },
      schemas: Object.fromEntries(
        [...schemas.values()]
          .filter(({ $id }) => used.has($id))
          .map((schema) => [schema.title, inlineReferences(schema, PREFIX)]),
      ),
    },
  };
}

function operationObject(operation: Operation): Record<string, unknown> {
  const errors = [...operation.errors, ...(operation.auth ? WITH_AUTH : []), ...ALWAYS];
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    security: operation.auth ? [{ bearer: [] }] : [],
    ...(operation.parameters && {
      parameters: Object.entries(operation.parameters).map(([name, { description, pattern }]) => ({
        name,
        in: 'path',
        required: true,
        description,
        schema: { type: 'string', pattern },
      })),
    }),
    ...(operation.request && { requestBody: requestBody(operation.request) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, answer(response)]),
      ),
      ...errorResponses(errors),
    },
  };
}

function requestBody({ schema, multipart }: NonNullable<Operation['request']>): Record<string, unknown> {
  const content = { schema: reference(schema) };
  return {
    required: true,
    content: { ...(multipart && { 'multipart/form-data': content }), 'application/json': content },
  };
}

function answer({ description, schema, file, text }: Operation['responses'][string]): Record<string, unknown> {
  const content = {
    ...(file && { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }),
    ...(schema && { 'application/json': { schema: reference(schema) } }),
    ...(text && { 'text/plain': { schema: { type: 'string' } } }),
  };
  return { description, headers: requestIdHeader, ...(Object.keys(content).length > 0 && { content }) };
}

const requestIdHeader = {
  'X-SVC-Request-Id': { description: 'Id of this request.', schema: { type: 'string', pattern: '^req_[0-9a-f]{16}$' } },
};

/** One response per status; its description lists the codes, which share the status. */
function errorResponses(codes: ErrorCode[]): Record<string, unknown> {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code][0]);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\``).join(', '),
        headers: requestIdHeader,
        content: { 'application/json': { schema: reference('error.json') } },
      },
    ]),
  );
}

function reference(name: string): { $ref: string } {
  const schema = schemas.get(name);
  if (!schema) throw new Error(`no schema ${name}`);
  return { $ref: `${PREFIX}${schema.title}` };
}

function schemaNames(operation: Operation): string[] {
  const named = Object.values(operation.responses).map(({ schema }) => schema);
  return [operation.request?.schema, ...named, 'error.json', 'job-callback.json'].filter((name) => name !== undefined);
}

/** The schemas named, and those they refer to. */
function reachable(names: string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const [, other] of JSON.stringify(schemas.get(name)).matchAll(/"(?:\$ref|x-schema)":"([^"#]+)"/g))
      visit(other as string);
  };
  names.forEach(visit);
  return seen;
}
