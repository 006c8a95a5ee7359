import { readFileSync } from 'node:fs';

/** A JSON Schema, or what it is within a CustomResourceDefinition. */
export type Node = Record<string, unknown>;

/**
 * The schemas of SvcInstance. They have no `$id`, so that services, which never see an instance, do not load them: the
 * API server is who validates.
 */
export const instanceSchemas = { spec: read('svcinstance-spec.json'), status: read('svcinstance-status.json') };

function read(name: string): Node {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8'));
}

/**
 * A structural schema (Kubernetes: "Specifying a structural schema"): references are replaced by what they refer to,
 * members beside them win, and nothing is left that the API server would refuse. It prunes unknown members by itself.
 */
export function structural(schema: Node): Node {
  const definitions = schema['definitions'] as Record<string, Node>;
  return filled(plain(schema) as Node) as Node;

  function plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, $schema: _, definitions: __, title, additionalProperties, ...members } = value as Node;
    const target = $ref === undefined ? {} : (plain(definitions[String($ref).split('/').at(-1) ?? '']) as Node);
    return {
      ...target,
      ...Object.fromEntries(Object.entries(members).map(([name, member]) => [name, plain(member)])),
      // A member may be called `title` as well.
      ...(typeof title === 'object' && { title: plain(title) }),
      ...(typeof additionalProperties === 'object' && { additionalProperties: plain(additionalProperties) }),
    };
  }
}

/**
 * Defaults of objects with those of their members: the API server checks rules against a default as it is written, before
 * it fills in what is within.
 */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  const node = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]));
  if (!isNode(node['default']) || !isNode(node['properties'])) return node;
  const members = Object.entries(node['properties'] as Record<string, Node>).filter(
    ([, member]) => 'default' in member,
  );
  return { ...node, default: Object.fromEntries(members.map(([name, member]) => [name, member['default']])) };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/**
 * A schema for TypeScript types of an instance as the API server hands it out: what has a default is always there.
 * Definitions without a title are written out where they are used.
 */
export function forTypes(schema: Node): Node {
  const definitions = schema['definitions'] as Record<string, Node>;
  return typed(schema) as Node;

  function typed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(typed);
    if (typeof value !== 'object' || value === null) return value;
    const node = value as Node;
    if (typeof node['$ref'] === 'string') {
      const target = definitions[node['$ref'].split('/').at(-1) ?? ''] as Node;
      if (target['title'] !== undefined) return { $ref: node['$ref'] };
      return typed({ ...target, ...node, $ref: undefined });
    }
    if (node['x-kubernetes-int-or-string']) return intOrString(node);
    const properties = node['properties'] as Record<string, Node> | undefined;
    const kept = Object.entries(node).filter(([name]) => !name.startsWith('x-') && !DROPPED.has(name));
    return {
      ...Object.fromEntries(kept.map(([name, member]) => [name, typed(member)])),
      ...(properties && { required: always(node, properties) }),
      ...(node['x-kubernetes-preserve-unknown-fields'] === true && { additionalProperties: true }),
    };
  }
}

/** Bounds make types of tuples; defaults would be shown twice. */
const DROPPED = new Set(['$schema', '$ref', 'maxItems', 'minItems']);

function always(node: Node, properties: Record<string, Node>): string[] {
  const required = (node['required'] ?? []) as string[];
  return Object.keys(properties).filter((name) => required.includes(name) || 'default' in (properties[name] ?? {}));
}

/** Quantities are text, as in client-node's types, although a number may stand there as well. */
function intOrString({ description, default: word }: Node): Node {
  if (word === undefined) return { description, type: 'string' };
  return { description, anyOf: [{ const: word }, { type: 'integer' }] };
}
