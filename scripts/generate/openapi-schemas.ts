import { schemas } from '../../src/common/schema.ts';
import { inlineReferences } from './bundle.ts';

export const PREFIX = '#/components/schemas/';

interface Component {
  title?: string;
  $ref?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, Component>;
  definitions?: Record<string, Component>;
  const?: string;
  oneOf?: Component[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
}

/** The named schemas as components of an OpenAPI document, in the form that generators of clients take. */
export function componentSchemas(names: ReadonlySet<string>): Record<string, Component> {
  const found = [...schemas.values()].filter(({ $id }) => names.has($id));
  const bundled: [string, Component][] = found.map((schema) => [schema.title, inlineReferences(schema, PREFIX)]);
  const options = Object.fromEntries(bundled.map(([title, { properties }]) => [PREFIX + title, properties]));
  return Object.fromEntries(
    bundled
      .flatMap(([title, schema]) => hoisted(title, schema))
      .flatMap(([title, schema]) => bodies(title, schema, options)),
  );
}

/** Name of a request's form, whose other members are also accepted as JSON. */
export function formTitle(title: string): string {
  return title.replace('Request', 'Form');
}

/** A schema and its definitions, each as one of its own: generators find types at the top only. */
function hoisted(title: string, { definitions, ...schema }: Component): [title: string, schema: Component][] {
  if (!definitions) return [[title, schema]];
  const parseName = (reference = '') => reference.slice(reference.lastIndexOf('/') + 1);
  /** Without a mapping a discriminator's values would be names of schemas. */
  const mapped = (one: Component): Component => {
    const { discriminator, oneOf = [] } = one;
    if (!discriminator) return one;
    const chosenBy = ({ $ref }: Component) =>
      definitions[parseName($ref)]?.properties?.[discriminator.propertyName]?.const;
    const mapping = Object.fromEntries(oneOf.map((choice) => [chosenBy(choice), choice.$ref]));
    return { ...one, discriminator: { ...discriminator, mapping } };
  };
  const own = Object.values(definitions).map((one): [string, Component] => [`${title}${one.title}`, mapped(one)]);
  const text = JSON.stringify([[title, schema], ...own]);
  return JSON.parse(
    text.replaceAll(
      new RegExp(`"${PREFIX}${title}/definitions/(\\w+)"`, 'g'),
      (_, name: string) => `"${PREFIX}${title}${definitions[name]?.title}"`,
    ),
  );
}

/** A schema; one of a body that may come in two ways as two, of which each says what it needs. */
function bodies(
  title: string,
  schema: Component,
  shared: Record<string, Component['properties']>,
): [title: string, schema: Component][] {
  const { required = [], properties = {} } = schema;
  const files = Object.keys(properties).filter((name) => properties[name]?.format === 'binary');
  if (files.length === 0) return [[title, schema]];
  const without = (names: string[]) =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)));
  const { $ref = '', properties: inline } = properties['options'] ?? {};
  const fields = Object.entries(inline ?? shared[$ref] ?? {}).map(([name, option]) => [`options.${name}`, option]);
  const form = {
    ...schema,
    title: formTitle(title),
    required: [...files, ...required],
    properties: { ...without(['url']), ...Object.fromEntries(fields) },
  };
  return [
    [title, { ...schema, required: ['url', ...required], properties: without(files) }],
    [form.title, form],
  ];
}
