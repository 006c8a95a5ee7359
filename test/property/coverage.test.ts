import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { checkScript } from '../../cmd/docbuilder/script/check/check.ts';
import { sheetScript } from './arbitraries/sheet.ts';
import { slidesScript } from './arbitraries/slides.ts';
import { textScript } from './arbitraries/text.ts';
import { PLAN } from './support/plan.ts';

const SAMPLE = 300;
const SEED = 20261121;
const KINDS = { text: textScript, sheet: sheetScript, slides: slidesScript };

interface Node {
  $ref?: string;
  title?: string;
  properties?: Record<string, Node | false>;
  items?: Node;
  [keyword: string]: unknown;
}
const SCHEMA: Node = JSON.parse(readFileSync(new URL('../../schemas/script.json', import.meta.url), 'utf8'));
const DEFINITIONS = SCHEMA['definitions'] as Record<string, Node>;

/** Every `definition.property` of the schema; what a value says is marked off by `visit`. */
function declared(): Map<string, boolean> {
  const places = new Map<string, boolean>();
  const collect = (node: Node, name: string): void => {
    for (const [key, property] of Object.entries(node.properties ?? {})) {
      if (property === false) continue;
      places.set(`${name}.${key}`, false);
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
    const target = node.$ref.replace('#/definitions/', '');
    visit(value, DEFINITIONS[target] as Node, target, seen);
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
    if (seen.has(`${name}.${key}`)) seen.set(`${name}.${key}`, true);
    visit(member, property, `${name}.${key}`, seen);
  }
}

/** Whether a value may be meant by one of several options: by its kind, and by what tells objects apart. */
function fits(value: unknown, option: Node): boolean {
  const node = option.$ref ? (DEFINITIONS[option.$ref.replace('#/definitions/', '')] as Node) : option;
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

describe('random scripts', () => {
  const samples = Object.entries(KINDS).map(
    ([kind, arbitrary]) => [kind, fc.sample(arbitrary, { numRuns: SAMPLE, seed: SEED })] as const,
  );

  for (const [kind, scripts] of samples) {
    it(`of type ${kind} are valid`, () => {
      for (const script of scripts) checkScript(script, PLAN);
    });
  }

  it('say everything that the language can say', () => {
    const seen = declared();
    for (const [, scripts] of samples) for (const script of scripts) visit(script, SCHEMA, 'script', seen);
    expect([...seen].filter(([, found]) => !found).map(([place]) => place)).to.deep.equal([]);
    expect(seen.size).to.be.greaterThan(200);
  });
});
