import { type Environment, parseListen } from '../../src/common/config.ts';

/** The address of the gate's internal side, to listen on and as front and editor reach it. */
export interface InternalSide {
  listen: string;
  /** `host:port` for the front, which runs on this machine. */
  front: string;
  /** For the editor. */
  wopiUrl: string;
}

/** The gate's own default: every address of the machine, for an editor that reaches it by a name or in a container. */
const OPEN = '0.0.0.0:8081';

/**
 * The internal side is for this machine's loopback alone, unless `SVC_GATE_WOPI_URL` or `SVC_GATE_INTERNAL_LISTEN` says
 * that an editor comes from elsewhere.
 * @param port where it listens then
 * @param address of this machine in a network of containers, instead of the loopback address
 */
export function internalSide(environment: Environment, port: number, address = '127.0.0.1'): InternalSide {
  const url = environment['SVC_GATE_WOPI_URL'];
  const listen = environment['SVC_GATE_INTERNAL_LISTEN'] || (url ? OPEN : `${address}:${port}`);
  const { host, port: listening } = parseListen(listen).address;
  const isEvery = host === '0.0.0.0' || host === '::';
  const front = isEvery ? `127.0.0.1:${listening}` : listen;
  return { listen, front, wopiUrl: url || `http://${front}` };
}
