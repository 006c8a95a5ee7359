import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FRONT_DIRECTORY, nginx } from '../../../../cmd/local/parts.ts';
import { freePorts } from '../../../../cmd/local/port.ts';
import type { FrontSettings } from '../../../../src/common/front.ts';
import { until } from '../../../support/until.ts';
import { startUpstreams, type Upstreams } from './upstreams.ts';

const EDGE = join(import.meta.dirname, 'edge.conf.template');

export type RunningNginx = Awaited<ReturnType<typeof startNginx>>;

export interface RunningFront extends RunningNginx {
  settings: FrontSettings;
}

type FrontLimits = Pick<FrontSettings, 'trustedEdges' | 'trustedChain' | 'requestsPerAddress' | 'requests'>;

/** A front from the template before these upstreams. `change` alters the template, to see a check go red. */
export async function startFront(
  upstreams: Upstreams['addresses'],
  options: { change?: (template: string) => string; limits?: FrontLimits } = {},
): Promise<RunningFront> {
  // A clone may be in a folder of any name.
  const prefix = await mkdtemp(join(tmpdir(), 'svc mặt trước-'));
  const [port = 0, openPort = 0, askPort = 0] = await freePorts(3);
  const settings: FrontSettings = {
    prefix,
    directory: options.change ? join(prefix, 'changed') : FRONT_DIRECTORY,
    log: join(prefix, 'access.log'),
    workers: 1,
    address: '127.0.0.1',
    port,
    openPort,
    askPort,
    ...upstreams,
    ...options.limits,
  };
  if (options.change) {
    await cp(FRONT_DIRECTORY, settings.directory, { recursive: true });
    const template = join(settings.directory, 'nginx.conf.template');
    await writeFile(template, options.change(await readFile(template, 'utf8')));
  }
  return { settings, ...(await start(await nginx(settings), prefix, port)) };
}

/** Gives the suite around the call a front before servers that it steers. */
export function useFront(): { front: RunningFront; upstreams: Upstreams } {
  const bench = {} as { front: RunningFront; upstreams: Upstreams };
  before(async () => {
    bench.upstreams = await startUpstreams();
    bench.front = await startFront(bench.upstreams.addresses);
  });
  after(async () => {
    await bench.front.stop();
    await bench.upstreams.stop();
  });
  return bench;
}

/** An edge that asks by itself, as ingress-nginx does with the manifests of ingress/nginx/auth-url.yaml. */
export async function startEdge(front: FrontSettings): Promise<RunningNginx> {
  const prefix = await mkdtemp(join(tmpdir(), 'svc-edge-'));
  const [port = 0] = await freePorts(1);
  const values: Record<string, string | number> = {
    PREFIX: prefix,
    PORT: port,
    FRONT_PORT: front.port,
    OPEN_PORT: front.openPort,
    ASK_PORT: front.askPort,
  };
  const template = await readFile(EDGE, 'utf8');
  const config = template.replaceAll(/\$\{([A-Z_]+)\}/g, (_, name: string) => String(values[name]));
  return startNginx(config, prefix, port);
}

/** Starts nginx with a configuration that listens on this port of the loopback address. */
export async function startNginx(config: string, prefix: string, port: number) {
  await mkdir(prefix, { recursive: true });
  await writeFile(join(prefix, 'nginx.conf'), config);
  const directives = `daemon off; ${process.getuid?.() === 0 ? 'user root;' : ''}`;
  const parameters = ['-e', 'stderr', '-p', prefix, '-c', join(prefix, 'nginx.conf'), '-g', directives];
  return start({ command: 'nginx', parameters, environment: {} }, prefix, port);
}

async function start(options: Awaited<ReturnType<typeof nginx>>, prefix: string, port: number) {
  const errors = join(prefix, 'stderr');
  const fd = openSync(errors, 'w');
  const env = { PATH: `${process.env['PATH']}:/usr/sbin`, ...options.environment };
  const child = spawn(options.command, options.parameters, { stdio: ['ignore', fd, fd], env });
  closeSync(fd);
  const ended = once(child, 'exit');
  const url = new URL(`http://127.0.0.1:${port}`);
  const isUp = () =>
    fetch(url, { redirect: 'manual' }).then(
      () => true,
      () => {
        if (child.exitCode !== null) throw new Error('it ended');
        return false;
      },
    );
  await until('nginx listens', isUp).catch(async (error: Error) => {
    const reason = await readFile(errors, 'utf8');
    child.kill('SIGKILL');
    await rm(prefix, { recursive: true, force: true });
    throw new Error(`nginx did not start: ${error.message}\n${reason}`);
  });
  return {
    url,
    /** Access log so far. */
    log: () => readFile(join(prefix, 'access.log'), 'utf8'),
    /** All that nginx wrote to stderr so far. */
    errors: () => readFile(errors, 'utf8'),
    /** Takes another configuration; resolves when what came in under the former one is answered. */
    async reload(changed: string): Promise<void> {
      await writeFile(join(prefix, 'nginx.conf'), changed);
      const workers = async () =>
        (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ');
      const before = await workers();
      child.kill('SIGHUP');
      await until('the former workers have ended', async () => (await workers()).every((pid) => !before.includes(pid)));
    },
    stop: async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
      await rm(prefix, { recursive: true, force: true });
    },
  };
}
