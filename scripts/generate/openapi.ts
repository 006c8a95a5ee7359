import { ERRORS, type ErrorCode } from '../../src/common/error-catalogue.ts';
import { schemas } from '../../src/common/schema.ts';
import { VERSION } from '../../src/common/version.ts';
import { reachable } from './bundle.ts';
import { componentSchemas, formTitle, PREFIX } from './openapi-schemas.ts';
import { type Answer, type Operation, operations } from './operations.ts';

const HEADER_PREFIX = '#/components/headers/';
const BYTES = { schema: { type: 'string', format: 'binary' } };
/** Errors that any operation may answer, and those of every operation that needs a key. */
const ALWAYS: ErrorCode[] = ['bad_request', 'internal'];
const WITH_AUTH: ErrorCode[] = ['unauthorized', 'token_expired'];
/**
 * Headers of every answer, of every answer to a counted request (these come before it is counted), of every answer with
 * a status.
 */
const REQUEST_ID = 'X-SVC-Request-Id';
const RATE = ['Limit', 'Remaining', 'Reset', 'Limit-Day', 'Remaining-Day'].map((name) => `X-RateLimit-${name}`);
const BEFORE_COUNTING = new Set(['401', '405', '502']);
const BY_STATUS: Record<string, string[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
/** Generators of clients know a reference to what is posted, not one to the whole callback. */
const JOB_ENDED = { jobEnded: { '{$request.body#/callback_url}': { $ref: '#/components/pathItems/jobEnded' } } };
/** Answers that any operation has, and those to requests with a body. */
const ANY: Record<string, Answer> = {
  405: { description: 'Another method: `detail.allowed` has those known.' },
  502: { description: '`internal`: DocBuilder is not running, or not ready. The front says so.' },
};
const STALLED: Record<string, Answer> = { 408: { description: 'The upload stalled.' } };

const { docbuilder, headers: knownHeaders, callbackHeaders } = operations;

/** DocBuilder's OpenAPI 3.1 document, from the operations, the schemas and the error catalogue. */
export function openapi(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of docbuilder) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  const used = reachable(docbuilder.flatMap(schemaNames), ['$ref', 'x-schema']);
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
      headers: knownHeaders,
      pathItems: { jobEnded: jobEnded() },
      schemas: componentSchemas(used),
    },
  };
}

/** The body that is posted to `callback_url` (contract: Events). */
function jobEnded(): Record<string, unknown> {
  const parameters = Object.entries(callbackHeaders).map(([name, header]) => ({ name, in: 'header', ...header }));
  const post = {
    operationId: 'jobEnded',
    summary: 'A job has ended',
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema: reference('job-callback.json') } } },
    responses: {
      '2XX': { description: 'Taken.' },
      '4XX': {
        description: 'Not taken. It is tried again, as after any other answer, and after none within 10 seconds.',
      },
    },
  };
  return { post };
}

function operationObject(operation: Operation): Record<string, unknown> {
  const { counted = false } = operation;
  const errors = new Set([...operation.errors, ...(operation.auth ? WITH_AUTH : []), ...ALWAYS]);
  const refusals = { ...ANY, ...(counted && STALLED), ...operation.refusals };
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
        Object.entries(operation.responses).map(([status, response]) => [status, answer(status, response, counted)]),
      ),
      ...errorResponses([...errors], counted),
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, refusal]) => [
          status,
          answer(status, { ...refusal, schema: 'error.json' }, counted),
        ]),
      ),
    },
    ...(counted && { callbacks: JOB_ENDED }),
  };
}

function requestBody({ schema, multipart, or }: NonNullable<Operation['request']>): Record<string, unknown> {
  const json = reference(schema);
  const form = { $ref: formTitle(json.$ref) };
  return {
    required: true,
    content: {
      ...(multipart && { 'multipart/form-data': { schema: form } }),
      'application/json': { schema: or === undefined ? json : { anyOf: [json, reference(or)] } },
    },
  };
}

function answer(
  status: string,
  { description, schema, object, file, text, headers = [] }: Answer,
  counted: boolean,
): Record<string, unknown> {
  const content = {
    // The file has any type. A client that asks for a type named here in its stead would get the job. Some generators
    // know none but the first, and take the JSON for the only answer without it.
    ...(file && { 'application/octet-stream': BYTES, '*/*': BYTES }),
    ...(object && { [object]: { schema: { type: 'object' } } }),
    ...(schema && { 'application/json': { schema: reference(schema) } }),
    ...(text && { 'text/plain': { schema: { type: 'string' } } }),
  };
  return {
    description,
    headers: headerObjects(status, headers, counted),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

/** None is marked as required: some are there only sometimes, and their descriptions say when. */
function headerObjects(status: string, more: string[], counted: boolean): Record<string, unknown> {
  const rate = counted && !BEFORE_COUNTING.has(status) ? RATE : [];
  const names = [REQUEST_ID, ...more, ...(BY_STATUS[status] ?? []), ...rate];
  return Object.fromEntries(names.map((name) => [name, { $ref: `${HEADER_PREFIX}${name}` }]));
}

/** One response per status; its description lists the codes, which share the status. */
function errorResponses(codes: ErrorCode[], counted: boolean): Record<string, unknown> {
  const byStatus = Map.groupBy(codes, (code) => String(ERRORS[code][0]));
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => {
      const description = list.map((code) => `\`${code}\``).join(', ');
      const headers = counted && !BEFORE_COUNTING.has(status) ? ['X-SVC-Job-Id'] : [];
      return [status, answer(status, { description, schema: 'error.json', headers }, counted)];
    }),
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
