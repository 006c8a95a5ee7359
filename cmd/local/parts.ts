import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Environment, parseListen } from '../../src/common/config.ts';
import { type FrontSettings, frontVariables } from '../../src/common/front.ts';
import { GATE_FLAGS } from '../../src/common/node-flags.ts';
import { node, type ServiceOptions } from './service.ts';
import { type Neighbours, toAllowHosts, toOrigins } from './settings.ts';

const root = resolve(import.meta.dirname, '../..');

/** The front's folder. */
export const FRONT_DIRECTORY = `${root}/ingress/front`;

/** Settings of all parts on one machine. */
interface Machine {
  /** Address of the service for browsers and receivers. */
  address: string;
  dataDir: string;
  internal: InternalSide;
}

/** Returns the options of the stand-in editor. @param listen `host:port` */
export function standInEditor(
  machine: Machine & { listen: string; password: string; serverName: string; sslTermination?: string },
): ServiceOptions {
  const { listen, password, serverName, sslTermination = '', dataDir, internal } = machine;
  return {
    name: 'stand-in editor',
    ...node(`${root}/examples/editor/main.ts`),
    logFile: `${dataDir}/editor.log`,
    readyUrl: `http://${listen}/hosting/capabilities`,
    environment: {
      EDITOR_LISTEN: listen,
      EDITOR_ADMIN_USER: 'admin',
      EDITOR_ADMIN_PASSWORD: password,
      EDITOR_SERVER_NAME: serverName,
      EDITOR_SSL_TERMINATION: sslTermination,
      EDITOR_WOPI_ALLOW: URL.parse(internal.wopiUrl)?.hostname ?? '',
      EDITOR_FRAME_ANCESTORS: 'localhost:* 127.0.0.1:*',
    },
  };
}

/** Returns the options of the gate in development mode. @param machine.listen `host:port` of its public side */
export function gate(
  machine: Machine & {
    listen: string;
    editorUrl: string;
    adminUser: string;
    adminPassword: string;
    callbackSecret: string;
    neighbours: Neighbours;
    /** Variables of a shared store. */
    store?: Record<string, string>;
  },
): ServiceOptions {
  const { address, dataDir, internal, listen, editorUrl, adminUser, adminPassword, callbackSecret, neighbours } =
    machine;
  const own = Number(new URL(address).port || 80);
  return {
    name: 'gate',
    ...node(`${root}/cmd/gate/main.ts`, GATE_FLAGS),
    logFile: `${dataDir}/gate.log`,
    readyUrl: `http://${listen}/svc/healthz`,
    environment: {
      SVC_GATE_LISTEN: listen,
      SVC_GATE_INTERNAL_LISTEN: internal.listen,
      SVC_GATE_DATA_DIR: `${dataDir}/gate`,
      ...machine.store,
      SVC_GATE_WOPI_URL: internal.wopiUrl,
      SVC_BASE_URL: address,
      SVC_ONLINE_URL: editorUrl,
      SVC_ONLINE_ADMIN_USER: adminUser,
      SVC_ONLINE_ADMIN_PASSWORD: adminPassword,
      // It has been read.
      SVC_ONLINE_ADMIN_PASSWORD_FILE: '',
      SVC_EMBED_ALLOW_UNSIGNED: '1',
      SVC_EMBED_ALLOWED_ORIGINS: toOrigins(neighbours, own),
      SVC_EMBED_CALLBACK_SECRET: callbackSecret,
      // The first is the gate, as the demo's page names it.
      SVC_FETCH_ALLOW_HOSTS: `${listen},${toAllowHosts(neighbours, own)}`,
      SVC_DEV_MODE: '1',
    },
  };
}

/** Addresses of the gate's internal side. */
export interface InternalSide {
  listen: string;
  /** `host:port` for the front. */
  front: string;
  /** For the editor. */
  wopiUrl: string;
}

/** The gate's default, for an editor elsewhere. */
const OPEN = '0.0.0.0:8081';

/**
 * Returns the gate's internal side: on loopback, unless `SVC_GATE_WOPI_URL` or `SVC_GATE_INTERNAL_LISTEN` is set.
 * @param address of this machine in a network of containers
 */
export function internalSide(environment: Environment, port: number, address = '127.0.0.1'): InternalSide {
  const url = environment['SVC_GATE_WOPI_URL'];
  const listen = environment['SVC_GATE_INTERNAL_LISTEN'] || (url ? OPEN : `${address}:${port}`);
  const { host, port: listening } = parseListen(listen).address;
  const isEvery = host === '0.0.0.0' || host === '::';
  const front = isEvery ? `127.0.0.1:${listening}` : listen;
  return { listen, front, wopiUrl: url || `http://${front}` };
}

/** Returns the command of a front's nginx, as its image starts it. */
export async function nginx(
  settings: FrontSettings,
): Promise<Pick<ServiceOptions, 'command' | 'parameters' | 'environment'>> {
  await mkdir(settings.prefix, { recursive: true, mode: 0o700 });
  // nginx's workers drop root, and could not read root's folders.
  const more = process.getuid?.() === 0 ? ['user root;'] : [];
  return {
    command: 'sh',
    parameters: [join(settings.directory, 'start.sh'), ...more],
    environment: frontVariables(settings),
  };
}
