import { readFileSync } from 'node:fs';
import { type Schema, schemas } from '../../src/common/schema.ts';

const PAGES = ['docbuilder-config.json', 'gate-config.json', 'controller-config.json'];

/** Variables of `ingress/front/nginx.conf.template`. Defaults are those of the image, as the Dockerfile has them. */
const FRONT: Record<string, string> = {
  SVC_FRONT_GATE:
    'The gate’s public side, `host:port`. Any of these names can be followed by ` resolve`: it is then looked up again while nginx runs.',
  SVC_FRONT_GATE_INTERNAL: 'The gate’s internal side, which is asked about new sessions.',
  SVC_FRONT_DOCBUILDER: 'DocBuilder.',
  SVC_FRONT_EDITOR: 'The editor server.',
  SVC_FRONT_RESOLVER:
    'DNS server for names with ` resolve`, an IPv6 address in brackets. Empty: the first one in the container’s own `/etc/resolv.conf`.',
  SVC_FRONT_ADDRESS: 'Address that all three ports listen on, such as `0.0.0.0` or `[::]`.',
  SVC_FRONT_PORT: 'Port of the service.',
  SVC_FRONT_OPEN_PORT:
    'Port of the service without asking the gate, for an edge that has already asked. Never open to clients.',
  SVC_FRONT_ASK_PORT: 'Port that such an edge asks, with `/ready` for health checks. Never open to clients.',
  SVC_FRONT_TRUSTED_EDGES:
    'Addresses and CIDRs, separated by commas, of the proxies in front of the front. What they say in `X-Forwarded-For` is who the client is: its last address that is not one of theirs. Name no address that clients can come from by themselves.',
  SVC_FRONT_TRUSTED_CHAIN:
    '`off`: the client is the last address in `X-Forwarded-For`, also where that is a trusted one. For edges that are given as wide ranges, which have clients in them.',
  SVC_FRONT_REQUESTS_PER_ADDRESS:
    'Requests that one client may have in progress: an IPv4 address, or an IPv6 network of 64 bits. More are answered with 429 `rate_limited`. Editing sockets do not count.',
  SVC_FRONT_REQUESTS: 'Requests that all clients together may have in progress, at most 7000.',
  SVC_FRONT_WORKERS: 'Worker processes of nginx.',
  SVC_FRONT_LOG: 'File of the access log.',
  SVC_FRONT_PREFIX: 'Folder for everything that is written; the root file system may be read-only.',
  SVC_FRONT_DIR: 'Folder with the template and its pages.',
};

/** docs/configuration.md: every variable of every service. */
export function configurationPage(): string {
  const head = [
    '# Configuration',
    '',
    '<!-- Made from schemas/ by `npm run generate`. Do not edit. -->',
    '',
    'This page is for administrators. It lists every environment variable of every service. Where you set them depends on the installation:',
    '',
    '| installation | where |',
    '| --- | --- |',
    '| `make run` | in the environment: `SVC_LOG_LEVEL=debug make run`. [compose.md](compose.md#settings-of-make-run) lists its own settings |',
    '| compose | in `compose.override.yaml`. [compose.md](compose.md#settings-of-compose) lists those of `compose.yaml` |',
    '| Kubernetes | not at all: the controller sets them from the fields of [SvcInstance](svcinstance.md), the chart from [its values](../charts/svc/README.md) |',
    '',
    '- A service that finds a mistake at start-up reports all mistakes together and ends with exit code 2.',
    '- An empty variable is treated as absent. Booleans are `1` and `0`.',
    '- A variable marked secret can instead be set as `NAME_FILE`, the path of a file that contains the value.',
    '',
  ];
  return [...head, ...PAGES.flatMap((name) => section(schemas.get(name))), ...front()].join('\n');
}

function front(): string[] {
  const image = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
  const rows = Object.entries(FRONT).map(([name, description]) => {
    const [, value] = new RegExp(`\\b${name}=(\\S*)`).exec(image) ?? [];
    return `| \`${name}\` | ${description} | ${value && `\`${value}\``} |`;
  });
  return [
    '## Front',
    '',
    'Environment of the front’s image, which is nginx (1.27.3 or later for ` resolve`) and `ingress/front/nginx.conf.template`.',
    '',
    '| variable | what it does | default |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ];
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
    `## ${schema.title.replace('Config', '').replace('Docbuilder', 'DocBuilder')}`,
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
