import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

const ROOT = resolve(import.meta.dirname, '../..');

/** The forms that compose.yaml uses. */
export interface Compose {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, null>;
  secrets: Record<string, { file: string }>;
  configs: Record<string, { file: string }>;
}

export interface ComposeService {
  image: string;
  user?: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string | number>;
  env_file?: string[];
  read_only?: boolean;
  cap_add?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  volumes?: string[];
  configs?: { source: string; target: string }[];
  secrets?: string[];
  networks?: string[] | Record<string, { aliases: string[] } | null>;
  profiles?: string[];
  network_mode?: string;
  ports?: string[];
  stop_grace_period?: string;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string; required?: boolean }>;
}

/** Reads compose.yaml with variables. */
export function readCompose(variables: Readonly<Record<string, string | undefined>>): Compose {
  const text = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
  const filled = fillIn(text, variables).replaceAll('$$', '$');
  return load(filled, { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose;
}

/** Replaces `${NAME-default}`, `${NAME:-default}` and `${NAME:+other}`, inner ones first. */
function fillIn(template: string, variables: Readonly<Record<string, string | undefined>>): string {
  const filled = template.replaceAll(
    /\$\{([A-Z_]+)(:?[-+])([^{}]*)\}/g,
    (_, name: string, kind: string, other: string) => {
      const value = variables[name];
      const isSet = kind.startsWith(':') ? Boolean(value) : value !== undefined;
      if (kind.endsWith('+')) return isSet ? other : '';
      return isSet ? (value ?? '') : other;
    },
  );
  return filled === template ? filled : fillIn(filled, variables);
}

export interface ContainerOptions {
  /** Prefix of containers and volumes. */
  project: string;
  /** Replaces variables of the file. */
  environment?: Record<string, string>;
  /** Variables from the environment of the command, such as a password. */
  inherited?: readonly string[];
  /** `address:port:port in the container` */
  publish?: string;
}

/**
 * Returns arguments of `docker` that run a service in the foreground, in a container that is removed when it ends.
 * Without a network of its own it is in Docker's default one.
 */
export function runArguments({ services, configs }: Compose, service: string, options: ContainerOptions): string[] {
  const found = services[service];
  if (!found) throw new TypeError(`compose.yaml has no service ${service}`);
  const { project, environment = {}, inherited = [], publish } = options;
  const variables = Object.entries({ ...found.environment, ...environment }).map(([key, value]) => `${key}=${value}`);
  const files = (found.configs ?? []).map(
    ({ source, target }) => `${resolve(ROOT, configs[source]?.file ?? '')}:${target}:ro`,
  );
  const [entrypoint, ...words] = found.entrypoint ?? [];
  return [
    ...['run', '--rm', '--name', containerName(project, service)],
    ...each('--cap-drop', found.cap_drop),
    ...each('--cap-add', found.cap_add),
    ...each('--security-opt', found.security_opt),
    ...(found.read_only ? ['--read-only'] : []),
    ...each('--user', found.user),
    ...each('--network', found.network_mode),
    ...each('--publish', publish),
    ...each('--volume', [...(found.volumes ?? []).map((volume) => `${project}-${volume}`), ...files]),
    ...each('--env', [...variables, ...inherited]),
    ...each('--entrypoint', entrypoint),
    ...[found.image, ...words, ...(found.command ?? [])],
  ];
}

export function containerName(project: string, service: string): string {
  return `${project}-${service}`;
}

function each(option: string, values: string | readonly string[] = []): string[] {
  return [values].flat().flatMap((value) => [option, value]);
}
