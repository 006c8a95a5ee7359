/**
 * Makes JSON Schemas that kubeconform reads, a file for each kind: `<folder>/<group>/<kind>_<version>.json`.
 * usage: chart-schemas.ts <folder> <swagger.json or CRD.yaml>…
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';

interface Schema {
  type?: string;
  format?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  [keyword: string]: unknown;
}

interface Crd {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const NUMBER_OR_TEXT = { type: ['string', 'number'] };

const [folder = '', ...sources] = process.argv.slice(2);
for (const source of sources) {
  const text = await readFile(source, 'utf8');
  if (source.endsWith('.json')) await fromSwagger(JSON.parse(text).definitions);
  else await fromCrd(load(text) as Crd);
}

/** Kinds of the API server's OpenAPI document, each with all definitions that it leads to. */
async function fromSwagger(definitions: Record<string, Schema>): Promise<void> {
  const strict = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, name === QUANTITY ? NUMBER_OR_TEXT : closed(schema)]),
  );
  for (const [name, schema] of Object.entries(definitions)) {
    for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
      const reached = reachable(name, strict);
      await write(group, kind, version, { $ref: `#/definitions/${name}`, definitions: reached });
    }
  }
}

async function fromCrd({ spec: { group, names, versions } }: Crd): Promise<void> {
  for (const { name, schema } of versions) {
    const { properties, ...rest } = schema.openAPIV3Schema;
    const envelope = { apiVersion: { type: 'string' }, kind: { const: names.kind }, metadata: { type: 'object' } };
    await write(group, names.kind, name, closed({ ...rest, properties: { ...properties, ...envelope } }));
  }
}

/** The schema with no members but those that it names, as an API server with strict validation has it. */
function closed(schema: Schema): Schema {
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return NUMBER_OR_TEXT as never;
  const copy: Schema = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, keyword === 'properties' ? value : closedValue(value)]),
  );
  if (!schema.properties) return copy;
  copy.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, value]) => [name, closed(value)]));
  if (!schema['x-kubernetes-preserve-unknown-fields']) copy.additionalProperties ??= false;
  return copy;
}

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue);
  return typeof value === 'object' && value !== null ? closed(value as Schema) : value;
}

function reachable(name: string, all: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const visit = (next: string): void => {
    if (next in found) return;
    found[next] = all[next];
    for (const [, other = ''] of JSON.stringify(all[next]).matchAll(/"#\/definitions\/([^"]+)"/g)) visit(other);
  };
  visit(name);
  return found;
}

async function write(group: string, kind: string, version: string, schema: object): Promise<void> {
  // kubeconform says of the core group that it is called v1.
  const path = join(folder, group || version, `${kind.toLowerCase()}_${version}.json`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(schema));
}
