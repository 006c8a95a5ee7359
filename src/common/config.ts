import { readFileSync } from 'node:fs';
import type { Mistake } from './errors.ts';
import { type Property, schemas, validator } from './schema.ts';
import { withoutLineEnds } from './truncate.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** All mistakes of the configuration. */
export class ConfigError extends Error {
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    super(`configuration:\n${mistakes.map(({ path, message }) => `  ${path} ${message}`).join('\n')}`);
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

/** A configuration and its mistakes. */
export interface ReadConfig<T> {
  /** Where there are mistakes, values may have another form; defaults are filled in. */
  values: T;
  mistakes: Mistake[];
  /** Adds mistakes of a variable that the schema cannot express. */
  blame(variable: keyof T & string, messages: readonly string[]): void;
}

/**
 * Reads the variables that `schemas/<name>` declares. Empty means absent. A secret `X` may be given as `X_FILE`, the
 * path of a file; line ends at the end of the file are dropped.
 */
export function readConfig<T>(name: string, environment: Environment): ReadConfig<T> {
  const schema = schemas.get(name);
  if (!schema?.properties) throw new TypeError(`no configuration schema ${name}`);
  const mistakes: Mistake[] = [];
  const values: Record<string, unknown> = {};
  for (const [variable, property] of Object.entries(schema.properties)) {
    const value = readVariable(variable, property, environment, mistakes);
    if (value !== undefined) values[variable] = value;
  }
  const checked = validator<T>(name, { coerce: true })(values);
  if (!checked.ok) {
    mistakes.push(...checked.mistakes.map(({ path, message }) => ({ path: path.slice(1), message })));
  }
  return {
    values: values as T,
    mistakes,
    blame: (path, messages) => void mistakes.push(...messages.map((message) => ({ path, message }))),
  };
}

function readVariable(
  variable: string,
  property: Property,
  environment: Environment,
  mistakes: Mistake[],
): string | undefined {
  const value = environment[variable] || undefined;
  const file = property['x-secret'] ? environment[`${variable}_FILE`] || undefined : undefined;
  if (file === undefined) return property.type === 'boolean' ? toBoolean(value) : value;
  if (value !== undefined) {
    mistakes.push({ path: variable, message: `is given twice, also as ${variable}_FILE` });
    return undefined;
  }
  try {
    return readSecretFile(file);
  } catch (error) {
    mistakes.push({ path: `${variable}_FILE`, message: `cannot be read: ${(error as Error).message}` });
    return undefined;
  }
}

/** Reads a secret's file without line ends at its end. */
export function readSecretFile(path: string): string {
  return withoutLineEnds(readFileSync(path, 'utf8'));
}

/** The contract writes booleans as 1 and 0, the schema's coercion expects true and false. */
function toBoolean(value: string | undefined): string | undefined {
  if (value === '1') return 'true';
  if (value === '0') return 'false';
  return value;
}

/** Returns the items of a comma-separated list without empty ones. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A listen address, `host:port` or `[v6]:port`, that the schema has accepted. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Parses a listen address, and returns mistakes that the schema cannot find. */
export function parseListen(listen: string): { address: ListenAddress; mistakes: string[] } {
  const colon = listen.lastIndexOf(':');
  const port = Number(listen.slice(colon + 1));
  return {
    address: { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port },
    mistakes: port > 65_535 ? ['has a port above 65535'] : [],
  };
}

/** Returns the mistakes of an http(s) URL; none for other texts, which are valid or refused by the schema. */
export function httpUrlMistakes(text = ''): string[] {
  if (!/^https?:\/\/[^/?#]/.test(text)) return [];
  const url = URL.parse(text);
  // It may contain a password, so the message does not repeat it.
  if (!url) return ['must be a URL such as http://host:8080'];
  return url.username || url.password ? ['has a user name or password, which is never sent'] : [];
}
