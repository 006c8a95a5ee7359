import { parseList } from '../../src/common/config.ts';
import { NotPossible } from './not-possible.ts';
import { isPort } from './port.ts';

/**
 * Other servers of this machine that the service deals with. A developer's browser also shows pages of strangers: any
 * page that may embed without a signature could have the gate fetch, and read out, what listens on a port here.
 */
export interface Neighbours {
  /** Ports of the developer's own pages, documents and receivers. */
  ports: readonly number[];
  /** Further origins and hosts, by commas. */
  origins: string;
  hosts: string;
}

/** Names by which a browser and the services reach this machine. */
const HERE = ['localhost', '127.0.0.1'];

/** @param localPorts value of `SVC_LOCAL_PORTS` @throws {NotPossible} naming what is no list of ports */
export function parseNeighbours(localPorts = '', origins = '', hosts = ''): Neighbours {
  const ports = parseList(localPorts).map((item) => (/^\d{1,5}$/.test(item) ? Number(item) : 0));
  if (!ports.every(isPort)) {
    throw new NotPossible(`SVC_LOCAL_PORTS=${localPorts} must list ports of your own pages, such as 8000,8090`);
  }
  return { ports, origins, hosts };
}

/** `SVC_EMBED_ALLOWED_ORIGINS`: the demo's own, and those of the neighbours. @param own port of the service */
export function toOrigins({ ports, origins }: Neighbours, own: number): string {
  const here = [own, ...ports].flatMap((port) => HERE.map((host) => new URL(`http://${host}:${port}`).origin));
  return [...here, ...parseList(origins)].join(',');
}

/** `SVC_FETCH_ALLOW_HOSTS`: the service itself, which has the demo's document, and the neighbours. */
export function toAllowHosts({ ports, hosts }: Neighbours, own: number): string {
  const here = [own, ...ports].flatMap((port) => HERE.map((host) => `${host}:${port}`));
  return [...here, ...parseList(hosts)].join(',');
}
