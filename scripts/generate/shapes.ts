import type { Schema } from '../../src/common/schema.ts';

type Node = Record<string, unknown>;

/** Describes one value for people: `string`, `integer 1 to 6`, `` `left` `right` ``, a link to another shape. */
export function describeShape(node: Node, link: (reference: string) => string): string {
  const { $ref, anyOf, oneOf, allOf, items, type } = node;
  if (typeof $ref === 'string') return link($ref);
  if (Array.isArray(allOf) && allOf.length === 1) return describeShape(allOf[0] as Node, link);
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice)) return [...new Set(choice.map((one) => describeShape(one as Node, link)))].join(' or ');
  if (Array.isArray(node['enum'])) return node['enum'].map((value) => `\`${value}\``).join(' ');
  if ('const' in node) return `\`${node['const']}\``;
  if (type === 'array')
    return `list of ${describeShape((items ?? {}) as Node, link)}${bounds(node, 'minItems', 'maxItems')}`;
  if (type === 'integer' || type === 'number') return `${type}${range(node)}`;
  if (type === 'string') return `string${node['maxLength'] ? `, at most ${node['maxLength']}` : ''}`;
  return [type ?? 'anything'].flat().join(' or ');
}

function bounds(node: Node, low: string, high: string): string {
  const [from, to] = [node[low], node[high]];
  if (to === undefined) return '';
  return from ? `, ${from} to ${to}` : `, at most ${to}`;
}

function range(node: Node): string {
  const [from, to] = [node['minimum'] ?? node['exclusiveMinimum'], node['maximum']];
  if (from !== undefined && to !== undefined) return ` ${from} to ${to}`;
  return from === undefined ? '' : ` from ${from}`;
}

/**
 * A table of the members of an object, or of the object that a value may be; those of objects that stand within it by
 * their path: `workers.total`, `parts[].text`.
 */
export function members(node: Node, link: (reference: string) => string): string[] {
  const rows = insides(node).flatMap((one) => memberRows(one, '', link));
  return rows.length === 0 ? [] : ['| member | value | |', '| --- | --- | --- |', ...rows, ''];
}

function memberRows(node: Node, prefix: string, link: (reference: string) => string): string[] {
  const properties = (node['properties'] ?? {}) as Record<string, Schema>;
  const required = new Set((node['required'] ?? []) as string[]);
  return Object.entries(properties).flatMap(([name, property]) => {
    const text = [
      ...(required.has(name) ? ['Required.'] : []),
      description(property),
      ...('default' in property ? [`Default: \`${property['default']}\`.`] : []),
    ];
    const path = prefix + name;
    const row = `| \`${path}\` | ${cell(describeShape(property, link))} | ${cell(text.filter(Boolean).join(' '))} |`;
    const items = property['type'] === 'array' ? ((property['items'] ?? {}) as Node) : undefined;
    const within = items
      ? memberRows(items, `${path}[].`, link)
      : insides(property).flatMap((one) => memberRows(one, `${path}.`, link));
    return [row, ...within];
  });
}

/** The objects that a value may be. */
function insides(node: Node): Node[] {
  const choice = (node['anyOf'] ?? node['oneOf']) as Node[] | undefined;
  return choice ? choice.flatMap(insides) : [node];
}

function description(property: Node): string {
  return String(property['description'] ?? '');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
