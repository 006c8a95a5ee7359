import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { SCRIPTS } from './support/scripts.ts';

interface Node {
  $ref?: string;
  title?: string;
  properties?: Record<string, Node | false>;
  items?: Node;
  [keyword: string]: unknown;
}
const SCHEMA: Node = JSON.parse(readFileSync(new URL('../../schemas/script.json', import.meta.url), 'utf8'));
const DEFINITIONS = SCHEMA['definitions'] as Record<string, Node>;
const REFERENCE = '#/definitions/';

function resolved(node: Node): Node {
  return node.$ref ? (DEFINITIONS[node.$ref.replace(REFERENCE, '')] as Node) : node;
}

/** An enumeration that has a definition of its own counts once, wherever it is used. */
function enumeration(property: Node, name: string, key: string): string {
  return property.$ref?.replace(REFERENCE, '') ?? `${name}.${key}`;
}

/** Every `definition.property` of the schema, and every `definition.property=value` of an enumeration. */
function declared(): Map<string, boolean> {
  const places = new Map<string, boolean>();
  const collect = (node: Node, name: string): void => {
    for (const [key, property] of Object.entries(node.properties ?? {})) {
      if (property === false) continue;
      places.set(`${name}.${key}`, false);
      for (const value of (resolved(property)['enum'] as unknown[]) ?? []) {
        places.set(`${enumeration(property, name, key)}=${value}`, false);
      }
      if (!property.$ref) collect(property, `${name}.${key}`);
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      for (const [index, option] of ((node[keyword] as Node[]) ?? []).entries()) {
        if (!option.$ref) collect(option, `${name}[${index}]`);
      }
    }
    if (node.items && !node.items.$ref) collect(node.items, `${name}[]`);
  };
  collect(SCHEMA, 'script');
  for (const [name, definition] of Object.entries(DEFINITIONS)) collect(definition, name);
  return places;
}

function visit(value: unknown, node: Node, name: string, seen: Map<string, boolean>): void {
  if (node.$ref) {
    visit(value, resolved(node), node.$ref.replace(REFERENCE, ''), seen);
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    for (const [index, option] of ((node[keyword] as Node[]) ?? []).entries()) {
      if (option['if'] === undefined && fits(value, option)) {
        visit(value, option, option.$ref || keyword === 'allOf' ? name : `${name}[${index}]`, seen);
      }
    }
  }
  if (Array.isArray(value)) {
    for (const item of value) if (node.items) visit(item, node.items, node.items.$ref ? name : `${name}[]`, seen);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const property = node.properties?.[key];
    if (!property) continue;
    const places = [`${name}.${key}`, `${enumeration(property, name, key)}=${member}`];
    for (const place of places) if (seen.has(place)) seen.set(place, true);
    visit(member, property, `${name}.${key}`, seen);
  }
}

/** Returns whether a value may be meant by one of several options: by its kind, and by what tells objects apart. */
function fits(value: unknown, option: Node): boolean {
  const node = resolved(option);
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const type = node['type'];
  if (type !== undefined && ![type].flat().includes(kind)) return false;
  if (kind !== 'object') return true;
  return ['type', 'layout'].every((key) => {
    const wanted = node.properties?.[key];
    const given = (value as Record<string, unknown>)[key];
    return !wanted || wanted['const'] === undefined || wanted['const'] === given;
  });
}

describe('the scripts of test/property/scripts', () => {
  it('say everything that the language can say', () => {
    const seen = declared();
    for (const script of SCRIPTS.values()) visit(script, SCHEMA, 'script', seen);
    expect([...seen].filter(([, found]) => !found).map(([place]) => place)).to.deep.equal([]);
    expect(seen.size).to.be.greaterThan(200);
  });
});
