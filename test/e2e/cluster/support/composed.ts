import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { kubernetesProgram, missingPrograms } from '../../../support/kubernetes.ts';
import { secret } from '../../../support/logs.ts';
import { freePort } from '../../../support/process.ts';
import { until } from '../../../support/until.ts';
import { CACHE } from '../cluster.ts';
import { docker, type Engine, engineMissing, hasEngine, sharedEngine } from '../engine.ts';
import { buildImages } from '../images/build.ts';
import { type Outside, startOutside } from './outside.ts';
import { sessionsThrough } from './sessions.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const START_MS = 180_000;
const DOCKER_INSIDE = 8080;

/** The service of compose.yaml, with the stand-in in the editor's place. */
export type Composed = Awaited<ReturnType<typeof startComposed>>;

/** Why there can be no such service here, or undefined. */
export async function composeMissing(): Promise<string | undefined> {
  const missing = engineMissing();
  if (missing !== undefined || (await hasPlugin())) return missing;
  return missingPrograms(['docker-compose']).length === 0
    ? undefined
    : 'not built: docker-compose (scripts/kubernetes.sh build compose)';
}

/** `docker compose up`, as docs/compose.md says. */
export async function startComposed() {
  const engine = await sharedEngine();
  const images = await buildImages(CACHE);
  const folder = await projectFolder();
  const port = hasEngine() ? await freePort() : DOCKER_INSIDE;
  const outside = await makeOutside(engine, port);
  const environment = {
    ...{ SVC_PUBLISH: `${engine.address}:${port}`, SVC_HOST: `localhost:${outside.edgePort}` },
    ...{ SVC_PORTAL_ORIGINS: outside.portal, SVC_EDITOR_IMAGE: images.editor },
  };
  const program = (await hasPlugin()) ? ['docker', 'compose'] : [kubernetesProgram('docker-compose')];
  const words = ['--project-name', `svc-test-${process.pid}`, '--file', join(ROOT, 'compose.yaml')];
  /** `docker compose …`, with other variables beside those of the start. */
  const compose = async (parameters: readonly string[], variables: Record<string, string> = {}): Promise<string> => {
    const [command = '', ...first] = [...program, ...words, '--project-directory', folder, ...parameters];
    const env = { ...process.env, ...environment, ...variables };
    return (await promisify(execFile)(command, first, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  };
  const stop = async () => {
    await compose(['down', '--volumes', '--timeout', '2']);
    await outside.stop();
    await rm(folder, { recursive: true });
  };
  try {
    await compose(['up', '--detach', '--no-build', '--pull', 'never']);
    const read = (name: string) => readFile(join(folder, '.data/compose', name), 'utf8');
    await healthy(compose);
    return {
      ...{ images, outside, compose, stop },
      sessions: await sessionsThrough(outside, (await read('embed-jwt-secret')).trim()),
      /** Key of `/v1`, as docs/compose.md says where it is. */
      apiKey: secret((await read('docbuilder-api-keys')).trim().replace(/^compose:/, '')),
      /** Id of the container of a service. */
      container: async (service: string) => (await compose(['ps', '--all', '--quiet', service])).trim(),
    };
  } catch (error) {
    const logs = await compose(['logs', '--tail', '20']).catch(String);
    await stop();
    throw new Error(`${(error as Error).message}\n${logs}`);
  }
}

/** The files of the checkout that compose.yaml needs, with secrets of its own. */
async function projectFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-compose-'));
  for (const file of ['scripts/compose-secrets.sh', 'ingress/editor/quarantine.sh']) {
    await mkdir(resolve(folder, file, '..'), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  await promisify(execFile)('sh', [join(folder, 'scripts/compose-secrets.sh')]);
  return folder;
}

/** Containers find this machine under the name that the documentation tells portals to use. */
async function makeOutside({ address, hostAddress }: Engine, port: number): Promise<Outside> {
  const outside = await startOutside({ address, port }, hostAddress);
  const named = (url: string) => url.replace(hostAddress, 'host.docker.internal');
  const { receiver } = outside;
  return { ...outside, documentUrl: named(outside.documentUrl), receiver: { ...receiver, url: named(receiver.url) } };
}

/** Resolves when all that has a health check is healthy. */
async function healthy(compose: (parameters: readonly string[]) => Promise<string>): Promise<void> {
  await until(
    'all services are healthy',
    async () => {
      const lines = (await compose(['ps', '--all', '--format', 'json'])).trim().split('\n');
      const found = lines.map((line) => JSON.parse(line) as { Service: string; State: string; Health: string });
      const others = found.filter(({ Service }) => Service !== 'quarantine');
      const isGood = others.every(({ State, Health }) => State === 'running' && ['', 'healthy'].includes(Health));
      return isGood && others.length === 5;
    },
    START_MS,
  );
}

async function hasPlugin(): Promise<boolean> {
  return docker('compose', 'version').then(
    () => true,
    () => false,
  );
}
