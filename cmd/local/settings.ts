import { randomBytes } from 'node:crypto';
import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, parseList, readSecretFile } from '../../src/common/config.ts';
import { makePrivateDirectory, writeAtomic } from '../../src/common/fs/atomic.ts';
import { lockFolder } from '../../src/common/fs/folder-lock.ts';
import { firstFree, isFree, isPort } from './port.ts';

/** A setting cannot be met. The message is for the developer. */
export class NotPossible extends Error {}

/** Settings of a developer. */
export interface Settings {
  port: number;
  editor: EditorChoice;
  adminUser: string;
  adminPassword: string;
  neighbours: Neighbours;
  /** Embedded: folders and SQLite. Shared: PostgreSQL and an S3 server. */
  store: 'embedded' | 'shared';
}

/** @throws {NotPossible} */
export function readSettings(environment: Environment): Settings {
  const port = Number(environment['PORT'] || 8080);
  if (!isPort(port)) {
    throw new NotPossible(
      `PORT=${environment['PORT']} is not a port number from 1 to 65535, such as make run PORT=8081`,
    );
  }
  return {
    port,
    editor: chooseEditor(environment),
    neighbours: parseNeighbours(
      environment['SVC_LOCAL_PORTS'],
      environment['SVC_EMBED_ALLOWED_ORIGINS'],
      environment['SVC_FETCH_ALLOW_HOSTS'],
    ),
    store: chooseStore(environment['SVC_LOCAL_STORE']),
    adminUser: environment['SVC_ONLINE_ADMIN_USER'] || 'admin',
    adminPassword: readPassword(environment),
  };
}

/** @throws {NotPossible} unless this process can listen on a port that browsers open */
export async function requirePort(port: number): Promise<void> {
  const trouble = await portTrouble(port);
  if (trouble === undefined) return;
  throw new NotPossible(`${trouble}. Choose another: make run PORT=${await firstFree(Math.max(port + 1, 1024))}`);
}

async function portTrouble(port: number): Promise<string | undefined> {
  if (!(await isFree(port))) return `Port ${port} is in use${port < 1024 ? ', or only root may use it' : ''}`;
  const { cause } = (await fetch(`http://127.0.0.1:${port}`).catch((error: Error) => error)) as Error;
  return (cause as Error | undefined)?.message === 'bad port' ? `No browser opens port ${port}` : undefined;
}

/**
 * Makes the data folder, and locks it for this process.
 * @returns API key, secret of callbacks and password of the editor
 * @throws {NotPossible}
 */
export async function takeFolder(path: string): Promise<[key: string, callbackSecret: string, password: string]> {
  try {
    await makePrivateDirectory(path);
    await access(path, constants.W_OK);
    await lockFolder(path);
    const secret = (name: string) => localSecret(path, name);
    return [await secret('api-key'), await secret('callback-secret'), await secret('editor-password')];
  } catch (error) {
    const { message } = error as Error;
    throw new NotPossible(`The data folder ${path} cannot be used: ${message}. SVC_LOCAL_DIR names another one.`);
  }
}

function chooseStore(asked = ''): Settings['store'] {
  if (asked === '') return 'embedded';
  if (asked === 'embedded' || asked === 'shared') return asked;
  throw new NotPossible(`STORE=${asked} must be embedded or shared, such as make run STORE=shared`);
}

function readPassword(environment: Environment): string {
  const file = environment['SVC_ONLINE_ADMIN_PASSWORD_FILE'];
  if (!file) return environment['SVC_ONLINE_ADMIN_PASSWORD'] ?? '';
  try {
    return readSecretFile(file);
  } catch (error) {
    throw new NotPossible(`EDITOR_PASSWORD_FILE (SVC_ONLINE_ADMIN_PASSWORD_FILE): ${(error as Error).message}`);
  }
}

export type EditorChoice =
  /** `isDefault`: it was not chosen. */
  | { kind: 'stand-in'; isDefault: boolean }
  /** `url` is the editor's address for this machine, if it is given. */
  | { kind: 'docker'; url: string | undefined }
  /** A running editor. */
  | { kind: 'url'; url: string };

/**
 * Returns the editor: `EDITOR` of make's command line, which the Makefile passes on as `SVC_LOCAL_EDITOR`, or an
 * address alone.
 * @throws {NotPossible}
 */
function chooseEditor(environment: Environment): EditorChoice {
  const url = editorUrl(environment['SVC_ONLINE_URL']);
  const asked = environment['SVC_LOCAL_EDITOR'];
  switch (asked || (url === undefined ? '' : 'url')) {
    case '':
    case 'stand-in':
      return { kind: 'stand-in', isDefault: !asked };
    case 'docker':
      return { kind: 'docker', url };
    case 'url':
      if (url !== undefined) return { kind: 'url', url };
      throw new NotPossible('EDITOR=url needs an address: make run EDITOR=url EDITOR_URL=http://localhost:9980');
    default:
      throw new NotPossible(`EDITOR=${asked} must be docker, url or stand-in, such as make run EDITOR=docker`);
  }
}

function editorUrl(given: string | undefined): string | undefined {
  if (!given) return undefined;
  const url = URL.parse(given);
  if (url?.protocol === 'http:' && url.pathname === '/') return url.origin;
  throw new NotPossible(
    `EDITOR_URL (SVC_ONLINE_URL) must be an address such as http://localhost:9980: plain HTTP, without a path, not ${given}`,
  );
}

/**
 * Other servers of this machine. Only named ports are allowed: any page in the developer's browser could embed without
 * a signature, and have the gate fetch what listens here.
 */
export interface Neighbours {
  /** Ports of the developer's pages, documents and receivers. */
  ports: readonly number[];
  /** Further origins and hosts, comma-separated. */
  origins: string;
  hosts: string;
}

/** Names of this machine. */
const HERE = ['localhost', '127.0.0.1'];

function parseNeighbours(localPorts = '', origins = '', hosts = ''): Neighbours {
  const ports = parseList(localPorts).map((item) => (/^\d{1,5}$/.test(item) ? Number(item) : 0));
  if (!ports.every(isPort)) {
    throw new NotPossible(`SVC_LOCAL_PORTS=${localPorts} must list ports of your own pages, such as 8000,8090`);
  }
  return { ports, origins, hosts };
}

/** Returns `SVC_EMBED_ALLOWED_ORIGINS`: the demo's and the neighbours'. @param own port of the service */
export function toOrigins({ ports, origins }: Neighbours, own: number): string {
  const here = [own, ...ports].flatMap((port) => HERE.map((host) => new URL(`http://${host}:${port}`).origin));
  return [...here, ...parseList(origins)].join(',');
}

/** Returns `SVC_FETCH_ALLOW_HOSTS`: the service itself, for the demo's document, and the neighbours. */
export function toAllowHosts({ ports, hosts }: Neighbours, own: number): string {
  const here = [own, ...ports].flatMap((port) => HERE.map((host) => `${host}:${port}`));
  return [...here, ...parseList(hosts)].join(',');
}

/** Returns a secret of this machine's service, made at the first start. */
export async function localSecret(directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  const existing = await readFile(path, 'utf8').catch(() => '');
  if (/^svc_[A-Za-z0-9_-]{32}$/.test(existing)) return existing;
  await makePrivateDirectory(directory);
  const secret = `svc_${randomBytes(24).toString('base64url')}`;
  await writeAtomic(path, secret);
  return secret;
}
