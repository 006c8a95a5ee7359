import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Environment } from '../../src/common/config.ts';
import { type ContainerOptions, containerName, readCompose, runArguments } from './compose.ts';
import { isFree } from './port.ts';
import { type RunningService, startService } from './service.ts';
import { NotPossible } from './settings.ts';

/** The image's own port. */
const EDITOR_PORT = 9980;
/** Time to the first answer on a slow machine. */
const START_SECONDS = 180;
/** The grace period of compose.yaml. */
const STOP_MS = 120_000;
const LOOK_MS = 100;

export interface ContainerSettings {
  /** Address of the service for browsers. */
  address: string;
  /** Address of the editor for this machine. */
  url: string;
  /** Address of the gate for the container. */
  wopiUrl: string;
  password: string;
  /** Pages that may embed. */
  origins: readonly string[];
  dataDir: string;
  /** Further variables of compose.yaml. */
  environment: Environment;
}

/**
 * Returns this machine's address in the network of containers; undefined where `SVC_GATE_WOPI_URL` has it.
 * @throws {NotPossible} without an engine on this machine
 */
export async function findGateway(environment: Environment): Promise<string | undefined> {
  await requireDocker();
  if (environment['SVC_GATE_WOPI_URL']) return undefined;
  const gateway = await docker('network', 'inspect', 'bridge', '--format', '{{(index .IPAM.Config 0).Gateway}}');
  if (await isFree(0, gateway)) return gateway;
  throw new NotPossible(
    `EDITOR=docker: ${gateway}, the gateway of Docker's network, is no address of this machine. Say where containers find it: SVC_GATE_WOPI_URL=http://host.docker.internal:8081`,
  );
}

/** Returns the official editor, and the keeper of its quarantine, as containers with the settings of compose.yaml. */
export function editorContainers(settings: ContainerSettings) {
  const { address, url, wopiUrl, origins, environment } = settings;
  const { host, port } = new URL(address);
  const hosts = origins.map((origin) => (origin === '*' ? '*:*' : origin.replace(/^https?:\/\//, '')));
  const ancestors = [...new Set(['localhost:*', '127.0.0.1:*', ...hosts])].join(' ');
  const compose = readCompose({ SVC_FRAME_ANCESTORS: ancestors, ...environment, SVC_HOST: host });
  // One for each port, so that they can run side by side.
  const project = `svc-${port || 80}`;
  const published = new URL(url).host.replace('localhost', '127.0.0.1');
  const start = (service: string, more: Partial<ContainerOptions>) =>
    startContainer(service, runArguments(compose, service, { project, inherited: ['password'], ...more }), {
      container: containerName(project, service),
      ...settings,
    });
  return {
    /** Pulls the image. @throws {NotPossible} */
    async prepare(signal: AbortSignal): Promise<void> {
      await pullImage(compose.services['editor']?.image ?? '', signal);
      await docker(...runArguments(compose, 'quarantine', { project }));
    },
    startEditor: () =>
      start('editor', { environment: { aliasgroup1: wopiUrl }, publish: `${published}:${EDITOR_PORT}` }),
    startKeeper: () => start('quarantine-keeper', { environment: { GATE_URL: wopiUrl } }),
  };
}

/**
 * Starts a container with a command in the foreground, which passes signals on once the container runs, and ends with
 * it.
 */
async function startContainer(
  name: string,
  parameters: string[],
  { container, url, password, dataDir }: ContainerSettings & { container: string },
): Promise<RunningService> {
  let [isReady, isStopping, isOver] = [false, false, false];
  const remove = (): Promise<unknown> => docker('rm', '--force', container).catch(() => {});
  const removeUntilOver = async (): Promise<void> => {
    for (; !isOver; await delay(LOOK_MS)) await remove();
  };
  const isRunning = async (): Promise<boolean> => {
    for (; !isOver; await delay(LOOK_MS)) {
      const state = await docker('inspect', '--format', '{{.State.Running}}', container).catch(() => '');
      if (state === 'true') return true;
    }
    return false;
  };
  // A run that was killed leaves its container.
  await remove();
  const service = await startService({
    ...{ name, command: 'docker', parameters, logFile: `${dataDir}/${name}.log` },
    readyUrl: `${url}/hosting/discovery`,
    readySeconds: START_SECONDS,
    environment: { password },
  });
  const ended = service.ended.then(async (code) => {
    isOver = true;
    await remove();
    return isStopping ? 0 : code;
  });
  return {
    ...service,
    ended,
    ready: service.ready.then(async (answers) => {
      isReady = answers && (await isRunning());
      return isReady;
    }),
    stop(signal) {
      if (isReady && !isStopping) {
        service.stop(signal);
        setTimeout(removeUntilOver, STOP_MS).unref();
      } else void removeUntilOver();
      isStopping = true;
    },
  };
}

const ANSWER_MS = 10_000;

/** Runs a command of Docker. @returns its output @throws {NotPossible} with Docker's message */
async function docker(...parameters: string[]): Promise<string> {
  try {
    return (await promisify(execFile)('docker', parameters)).stdout.trim();
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new NotPossible(`EDITOR=docker: ${lastLine(stderr) || message}`);
  }
}

/** @throws {NotPossible} unless an engine answers */
export async function requireDocker(): Promise<void> {
  const asked = promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: ANSWER_MS });
  await asked.catch(({ code, stderr }: { code?: unknown; stderr?: string }) => {
    throw new NotPossible(
      code === 'ENOENT'
        ? 'EDITOR=docker: there is no program `docker` on this machine. Install it: sudo apt install docker.io'
        : `EDITOR=docker: Docker does not answer: ${lastLine(stderr) || `nothing in ${ANSWER_MS / 1000} s`}. Is it started (sudo systemctl start docker), and may you use it (sudo usermod -aG docker $USER, then log in again)?`,
    );
  });
}

/** Pulls an image that is missing, with its progress. @throws {NotPossible} */
async function pullImage(image: string, signal: AbortSignal): Promise<void> {
  const isThere = await docker('image', 'inspect', '--format', 'there', image).catch(() => '');
  if (isThere) return;
  console.log(`Pulling ${image}, over 1 GB.`);
  const child = spawn('docker', ['pull', image], { stdio: ['ignore', 'inherit', 'pipe'], signal });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close').catch(() => [null]);
  if (code !== 0) throw new NotPossible(`EDITOR=docker: the image ${image} cannot be pulled: ${lastLine(said)}`);
}

function lastLine(text = ''): string {
  const [last = ''] = text.trim().split('\n').slice(-1);
  return last.replace(/[.?]+$/, '');
}
