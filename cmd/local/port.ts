import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';
const LOWEST = 10_000;
/** The first of Linux' default ephemeral ports. */
const EPHEMERAL = 32_768;

export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** Returns whether this process could listen on a port. */
export function isFree(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, host, () => server.close(() => resolve(true)));
  });
}

/**
 * Finds different free ports of the loopback address, below the range for outgoing connections, which would take them.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(LOWEST, ephemeralStart());
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

/** Returns the first free port from `first` on; any free one if there is none. */
export async function firstFree(first: number, host = LOOPBACK): Promise<number> {
  let port = first;
  while (isPort(port) && !(await isFree(port, host))) port += 1;
  return isPort(port) ? port : ((await freePorts(1))[0] as number);
}

function ephemeralStart(): number {
  try {
    const start = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return start > LOWEST ? start : EPHEMERAL;
  } catch {
    return EPHEMERAL;
  }
}
