import { type Schema, schemas } from '../../src/common/schema.ts';

const PAGES = ['docbuilder-config.json', 'gate-config.json', 'controller-config.json'];

/** docs/configuration.md: every variable of every service. */
export function configurationPage(): string {
  const head = [
    '# Configuration',
    '',
    '<!-- Made from schemas/ by `npm run generate`. Do not edit. -->',
    '',
    'Services are configured by environment variables. All mistakes are reported at start-up at once. An empty variable',
    'counts as absent; booleans are `1` and `0`.',
    '',
  ];
  return [...head, ...PAGES.flatMap((name) => section(schemas.get(name)))].join('\n');
}

function section(schema: Schema | undefined): string[] {
  if (!schema?.properties) throw new Error('no configuration schema');
  const rows = Object.entries(schema.properties).map(
    ([name, property]) =>
      `| \`${name}\`${property['x-secret'] ? ' (secret)' : ''} | ${property.description.replaceAll('|', '\\|')} | ${values(property)} | ${
        property.default === undefined || property.default === '' ? '' : `\`${shown(property.default)}\``
      } |`,
  );
  return [
    `## ${schema.title.replace('Config', '')}`,
    '',
    schema.description,
    '',
    '| variable | what it does | values | default |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ];
}

function values(property: Schema): string {
  if (Array.isArray(property['enum'])) return property['enum'].map((value) => `\`${value}\``).join(' ');
  if (property['type'] === 'integer') return `${property['minimum']} to ${property['maximum']}`;
  if (property['type'] === 'boolean') return '`1` `0`';
  return '';
}

function shown(value: unknown): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}
