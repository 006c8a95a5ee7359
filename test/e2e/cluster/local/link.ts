import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** As many nodes as can be on one machine at a time: of several checkouts, or of a test that kills one. */
const MOST = 60;

/** The cable between this machine and a node: two addresses of a range that is set aside for tests of networks. */
export interface Link {
  index: number;
  /** Of the interface on this machine's side. */
  name: string;
  hostAddress: string;
  nodeAddress: string;
  /** Path of a file that is locked for as long as anything of the node lives. */
  lock: string;
}

/** A link that no node has at the moment. */
export async function freeLink(): Promise<Link> {
  for (let index = 0; index < MOST; index += 1) {
    const found = link(index);
    const free = await run('flock', ['--nonblock', found.lock, 'true']).then(
      () => true,
      () => false,
    );
    if (free) return found;
  }
  throw new Error(`there are ${MOST} nodes on this machine already`);
}

/** Lays the cable to the node whose process 1 is `pid`. It goes with the node. */
export async function connect({ name, hostAddress }: Link, pid: number): Promise<void> {
  // That of a node which has ended a moment ago may not have gone yet.
  await run('ip', ['link', 'delete', name]).catch(() => undefined);
  await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', 'node0', 'netns', String(pid)]);
  await run('ip', ['address', 'add', `${hostAddress}/30`, 'dev', name]);
  await run('ip', ['link', 'set', name, 'up']);
}

function link(index: number): Link {
  return {
    index,
    name: `svc-node${index}`,
    hostAddress: `198.18.53.${4 * index + 1}`,
    nodeAddress: `198.18.53.${4 * index + 2}`,
    lock: join(tmpdir(), `svc-node${index}.lock`),
  };
}
