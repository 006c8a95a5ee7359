import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readdirSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { abandonedFolders } from '../../support/own-folder.ts';
import { until } from '../../support/until.ts';
import { CACHE, clusterMissing } from './cluster.ts';
import { hasEngine } from './engine.ts';
import { removeTraces } from './local/node.ts';

const MODULE = resolve(import.meta.dirname, 'local/cluster.ts');
const START = `
  import { startLocal } from ${JSON.stringify(MODULE)};
  const cluster = await startLocal(${JSON.stringify(CACHE)}, false);
  console.log(cluster.kubeconfig + ' ' + cluster.nodeAddress);
  if (process.argv[1] === 'stop') await cluster.stop(), process.exit();
`;

describe('the local cluster', function () {
  this.timeout(120_000);

  before(function () {
    if (clusterMissing() || hasEngine()) this.skip();
  });

  after(async () => {
    for (const folder of abandonedFolders('cluster')) await removeTraces(folder);
  });

  it('ends with its test run when that is killed, and the next start removes what it leaves', async () => {
    const run = await start('stay');
    const pid = Number(await readFile(`${run.folder}/pid`, 'utf8'));
    const namespace = readlinkSync(`/proc/${pid}/ns/pid`);
    expect(inNamespace(namespace)).to.have.length.above(8);
    expect(groups(run.folder)).to.have.length.above(0);
    run.child.kill('SIGKILL');
    await until('all of it has ended', () => inNamespace(namespace).length === 0 || undefined);

    await (await start('stop')).ended;
    expect([existsSync(run.folder), groups(run.folder)]).to.deep.equal([false, []]);
  });

  it('changes no mount, address, route or packet filter of the machine but one interface, which goes with it', async () => {
    // That of a node which has ended a moment ago may not have gone yet.
    await until('interfaces of ended nodes have gone', async () => (await deadLinks()).length === 0 || undefined);
    const before = await machine();
    const run = await start('stay');
    const during = await machine();
    run.child.kill('SIGKILL');
    await run.ended;
    expect(during.links).to.have.lengthOf(before.links.length + 1);
    expect({ ...during, links: [] }).to.deep.equal({ ...before, links: [] });
    await until(
      'its interface has gone',
      async () => (await machine()).links.length === before.links.length || undefined,
    );
  });
});

/** A cluster of another process, once it is ready. */
async function start(then: 'stop' | 'stay') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', START, then], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const [kubeconfig = ''] = line.toString().split(' ');
  return { child, ended, folder: dirname(kubeconfig) };
}

/** Interfaces to nodes that nobody holds the lock of any more. */
async function deadLinks(): Promise<string[]> {
  const { links } = await machine();
  const dead = await Promise.all(
    links.map(async (line) => {
      const name = /svc-node\d+/.exec(line)?.[0] ?? '';
      const isFree = promisify(execFile)('flock', ['--nonblock', join(tmpdir(), `${name}.lock`), 'true']);
      return isFree.then(
        () => [name],
        () => [],
      );
    }),
  );
  return dead.flat();
}

/** Of this machine, what container runtimes like to change. What buildah mounts meanwhile does not count. */
async function machine() {
  const lines = async (command: string, ...parameters: string[]) =>
    (await promisify(execFile)(command, parameters)).stdout.split('\n');
  const [addresses, routes] = await Promise.all([lines('ip', '-brief', 'address'), lines('ip', 'route')]);
  const mounts = await lines('findmnt', '--list', '--noheadings', '--output', 'TARGET');
  const isLink = (line: string) => line.includes('svc-node');
  return {
    links: addresses.filter(isLink),
    addresses: addresses.filter((line) => !isLink(line)),
    routes: routes.filter((line) => !isLink(line)),
    filter: (await lines('iptables-save')).filter((line) => !line.startsWith('#')),
    mounts: mounts.filter((path) => !path.startsWith(CACHE)),
    forwarding: await readFile('/proc/sys/net/ipv4/ip_forward', 'utf8'),
    folders: ['/run/containerd', '/run/netns', '/var/lib/cni', '/var/lib/kubelet', '/var/log/pods'].map((path) =>
      existsSync(path),
    ),
  };
}

/** Control groups of a node. */
function groups(folder: string): string[] {
  return globSync(['/sys/fs/cgroup', '/sys/fs/cgroup/*'].map((path) => `${path}/${basename(folder)}`));
}

/** Processes of a PID namespace. */
function inNamespace(namespace: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/ns/pid`) === namespace;
      } catch {
        return false;
      }
    });
}
