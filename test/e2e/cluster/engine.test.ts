import { execFile, spawn } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { kubernetesProgram } from '../../support/kubernetes.ts';
import { until } from '../../support/until.ts';
import { engineMissing, hasEngine } from './engine.ts';

const SCRIPT = resolve(import.meta.dirname, '../../../scripts/docker.sh');

describe('an engine of our own', function () {
  this.timeout(120_000);
  let folder: string;

  before(async function () {
    if (hasEngine() || engineMissing() !== undefined) this.skip();
    // Not below a folder that is mounted without devices or programs.
    folder = await mkdtemp(join(tmpdir(), 'svc-engine-'));
  });
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    it(`changes nothing of the machine but one interface, and ends with its script on ${signal}`, async () => {
      await rm(join(folder, 'ready'), { force: true });
      const before = await machine();
      const child = spawn(SCRIPT, ['run'], { env: { ...process.env, SVC_DOCKER_FOLDER: folder }, stdio: 'ignore' });
      await until('it is ready', () => existsSync(join(folder, 'ready')), 60_000);
      const during = await machine();
      const [link = ''] = during.links.filter((each) => !before.links.includes(each));
      const namespace = namespaceOf(folder);
      expect(link).to.match(/^svc-docker\d+$/);
      expect({ ...during, links: [] }).to.deep.equal({ ...before, links: [] });
      expect(inNamespace(namespace)).to.have.length.above(2);
      await runContainer(folder);
      expect(groups(link)).to.have.length.above(0);
      child.kill(signal);
      await until('all of it has ended', () => inNamespace(namespace).length === 0, 60_000);
      await until('its interface has gone', async () => !(await machine()).links.includes(link));
      // The next one removes what a killed one leaves.
      if (signal === 'SIGTERM') {
        await until('its control groups have gone', () => groups(link).length === 0);
      }
    });
  }
});

/** Of this machine, what container engines like to change. */
async function machine() {
  const lines = async (command: string, ...parameters: string[]) =>
    (await promisify(execFile)(command, parameters)).stdout.split('\n');
  const isLink = (line: string) => line.includes('svc-docker');
  const links = (await lines('ip', '-brief', 'link')).filter(isLink).map((line) => line.split(/[@ ]/)[0] ?? '');
  return {
    links,
    addresses: (await lines('ip', '-brief', 'address')).filter((line) => !isLink(line)),
    routes: (await lines('ip', 'route')).filter((line) => !isLink(line)),
    filter: (await lines('iptables-save')).filter((line) => !line.startsWith('#')),
    mounts: await lines('findmnt', '--list', '--noheadings', '--output', 'TARGET'),
    forwarding: await readFile('/proc/sys/net/ipv4/ip_forward', 'utf8'),
    folders: ['/run/docker', '/run/containerd', '/run/netns', '/var/lib/docker'].map((path) => existsSync(path)),
  };
}

/** A container that only waits. */
async function runContainer(folder: string): Promise<void> {
  const programs = dirname(kubernetesProgram('pause'));
  const run = `tar -C ${programs} -c pause | docker import - waits && docker run --detach --network none waits /pause`;
  await promisify(execFile)('sh', ['-c', run], {
    env: { ...process.env, DOCKER_HOST: `unix://${folder}/docker.sock` },
  });
}

/** Control groups of all containers of an engine, which are named after its interface. */
function groups(link: string): string[] {
  return globSync(`/sys/fs/cgroup/{,*/}${link}`);
}

/** The PID namespace of an engine. */
function namespaceOf(folder: string): string {
  const own = readlinkSync('/proc/self/ns/pid');
  const ofEngine = processes((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`engine.sh\0${folder}`));
  return ofEngine.map((pid) => readlinkSync(`/proc/${pid}/ns/pid`)).find((namespace) => namespace !== own) ?? '';
}

/** Processes of a PID namespace. */
function inNamespace(namespace: string): string[] {
  return processes((pid) => readlinkSync(`/proc/${pid}/ns/pid`) === namespace);
}

function processes(is: (pid: string) => boolean): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && is(name);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}
