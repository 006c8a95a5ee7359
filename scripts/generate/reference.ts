import { ERRORS } from '../../src/common/error-catalogue.ts';
import { type Schema, schemas } from '../../src/common/schema.ts';
import { reachable } from './bundle.ts';
import { type Operation, operations } from './operations.ts';
import { describeShape, members } from './shapes.ts';

const NOTE = '<!-- Made from schemas/ by `npm run generate`. Do not edit. -->';

/** docs/reference.md: every operation of `/v1`, with the bodies that it takes and gives. */
export function referencePage(): string {
  const { docbuilder } = operations;
  const bodies = new Set(
    docbuilder
      .flatMap(({ request, responses }) => [request, ...Object.values(responses)])
      .flatMap((body) => body?.schema ?? []),
  );
  const all = reachable([...bodies, 'error.json', 'job-callback.json']);
  return [
    '# DocBuilder reference',
    '',
    NOTE,
    '',
    'This page is for developers who look up a request of `/v1` or a member of its bodies. It has the content of `GET /v1/openapi.json`. Start with [api.md](api.md).',
    '',
    ...docbuilder.flatMap(operation),
    '# Bodies',
    '',
    ...[...all].map((name) => schemas.get(name)).flatMap((schema) => (schema ? shape(schema) : [])),
  ].join('\n');
}

function operation({ responses, errors, refusals = {}, ...operation }: Operation): string[] {
  const { method, path, summary, description, auth, request } = operation;
  const answers = [...Object.entries(responses), ...Object.entries(refusals)].map(
    ([status, answer]) => `- ${status}: ${answer.description}${answer.schema ? ` ${link(answer.schema)}` : ''}`,
  );
  const codes = errors.map((code) => `${ERRORS[code][0]} \`${code}\``);
  return [
    `## ${method.toUpperCase()} ${path}`,
    '',
    `${summary}.${description ? ` ${description}` : ''}${auth ? '' : ' Needs no key.'}`,
    '',
    ...(request ? [`Takes ${link(request.schema)} as JSON${request.multipart ? ' or as a form' : ''}.`, ''] : []),
    ...answers,
    ...(codes.length > 0 ? [`- Errors: ${codes.join(', ')}`] : []),
    '',
  ];
}

function shape(schema: Schema): string[] {
  return [`## ${schema.title}`, '', schema.description, '', ...members(schema, link)];
}

function link(name: string): string {
  const schema = schemas.get(name);
  if (!schema) throw new Error(`no schema ${name}`);
  return `[${schema.title}](#${schema.title.toLowerCase()})`;
}

/** Requests of the gate, and the schemas of what they take and give. */
const GATE: [request: string, takes: string, gives: string][] = [
  ['POST /svc/embed/session', 'embed-config.json', 'embed-session.json'],
  ['GET /svc/embed/session/{session_id}', '', 'embed-session-state.json'],
  ['POST /svc/embed/session/{session_id}/mode', 'embed-mode-request.json', 'embed-session.json'],
  ['GET /svc/status', '', 'gate-status.json'],
  ['GET /svc/limits', '', 'gate-limits.json'],
  ['a callback, posted to `editor.callbackUrl`', 'document-callback.json', ''],
];

/** docs/gate-reference.md: every body of `/svc`. */
export function gatePage(): string {
  const bodies = GATE.flatMap(([, takes, gives]) => [takes, gives].filter((name) => name !== ''));
  const all = reachable([...bodies, 'error.json']);
  const linked = (name: string): string => (name === '' ? '' : link(name));
  return [
    '# Gate reference',
    '',
    NOTE,
    '',
    'This page is for developers who look up a member of a request or response under `/svc`. Start with [embedding.md](embedding.md).',
    '',
    '| request | takes | gives |',
    '| --- | --- | --- |',
    ...GATE.map(([request, takes, gives]) => `| ${request} | ${linked(takes)} | ${linked(gives)} |`),
    '',
    ...[...all].map((name) => schemas.get(name)).flatMap((schema) => (schema ? shape(schema) : [])),
  ].join('\n');
}

/** docs/script-reference.md: every shape of svcscript. */
export function scriptPage(): string {
  const root = schemas.get('script.json');
  if (!root) throw new Error('no schema script.json');
  const definitions = root['definitions'] as Record<string, Schema>;
  const findTitle = (reference: string): string => {
    const title = definitions[reference.replace('#/definitions/', '')]?.title ?? reference;
    return `[${title}](#${title.toLowerCase()})`;
  };
  const sections = Object.values(definitions).flatMap((schema) => {
    const kinds = 'properties' in schema ? [] : [`Written as: ${describeShape(schema, findTitle)}.`, ''];
    return [`## ${schema.title}`, '', schema.description, '', ...kinds, ...members(schema, findTitle)];
  });
  return [
    '# svcscript reference',
    '',
    NOTE,
    '',
    `This page is for developers who look up a member of a script. ${root.description} Start with [script.md](script.md); \`GET /v1/script.schema.json\` is the schema for editors.`,
    '',
    '## Script',
    '',
    ...members(root, findTitle),
    ...sections,
  ].join('\n');
}
