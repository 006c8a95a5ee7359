import { resolve } from 'node:path';
import { GATE_FLAGS } from '../../src/common/node-flags.ts';
import type { InternalSide } from './internal.ts';
import { type Neighbours, toAllowHosts, toOrigins } from './neighbours.ts';
import { node, type ServiceOptions } from './service.ts';

const root = resolve(import.meta.dirname, '../..');

/** The front's own part of the repository. */
export const FRONT_DIRECTORY = `${root}/ingress/front`;

/** Settings that the parts of the service on one machine share. */
interface Machine {
  /** Address of the service for browsers and receivers. */
  address: string;
  /** Absolute folder for data and logs. */
  dataDir: string;
  /** The gate's internal side. */
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
    /** Variables of a database and an object store; none: all is in the folder. */
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
