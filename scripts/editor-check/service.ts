import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FRONT_DIRECTORY, gate, type InternalSide, internalSide, nginx, standInEditor } from '../../cmd/local/parts.ts';
import { freePorts } from '../../cmd/local/port.ts';
import { type RunningService, type ServiceOptions, startService } from '../../cmd/local/service.ts';
import { localSecret } from '../../cmd/local/settings.ts';
import { type Line, openLine } from './line.ts';
import { getAddress, type Options } from './options.ts';
import type { Portal } from './portal.ts';

const STAND_IN_PASSWORD = 'editor-password';

/** A process that can be killed and started again. */
export interface Part {
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Gate and front as `make run` starts them, before the editor that is tried; browsers reach them by `line`. */
export interface Service {
  /** As browsers have it. */
  url: string;
  /** The gate's public side, around line and front. */
  gateUrl: string;
  wopiUrl: string;
  /** `host:port` where the gate listens for the editor. */
  internal: string;
  editorUrl: string;
  line: Line;
  frontPort: number;
  front: Part;
  gate: Part;
  /** Undefined when nobody said how it is killed and started. */
  editor: Part | undefined;
  /** Resolves at the next byte of a save that reaches the gate. */
  saveBegins(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts it, with the stand-in editor unless `options.onlineUrl` says which to try.
 * @param portal whose pages may embed, and whose documents be fetched
 * @throws when a part does not start
 */
export async function startCheckedService(options: Options, portal: Portal): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-editor-check-'));
  const [gatePort, standInPort, frontPort] = (await freePorts(3)) as [number, number, number];
  const given = { SVC_GATE_WOPI_URL: options.wopiUrl, SVC_GATE_INTERNAL_LISTEN: options.wopiListen };
  const machine: Machine = {
    address: getAddress(options),
    dataDir,
    internal: internalSide(given, options.port + 1),
    editorUrl: options.onlineUrl ?? `http://127.0.0.1:${standInPort}`,
  };
  const own = options.onlineUrl === undefined;
  const standIn = await standInPart(machine, options);
  const gate = await gatePart(machine, options, gatePort, portal);
  const front = await frontPart(machine, frontPort, gatePort);
  const line = await openLine(options.port, frontPort);
  const stop = async (): Promise<void> => {
    for (const each of [front, gate, standIn]) await each.kill();
    await line.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    if (own) await standIn.start();
    await gate.start();
    await front.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const { address: url, internal, editorUrl } = machine;
  return {
    ...{ url, gateUrl: `http://127.0.0.1:${gatePort}`, wopiUrl: internal.wopiUrl, internal: internal.front },
    ...{ editorUrl, line, frontPort, front, gate, stop },
    editor: own ? standIn : givenEditor(options),
    async saveBegins() {
      for await (const _ of watch(join(dataDir, 'gate/incoming'))) return;
    },
  };
}

interface Machine {
  address: string;
  dataDir: string;
  internal: InternalSide;
  editorUrl: string;
}

async function standInPart(machine: Machine, { port }: Options): Promise<Part> {
  const password = await localSecret(machine.dataDir, STAND_IN_PASSWORD);
  const listen = new URL(machine.editorUrl).host;
  return part(async () => standInEditor({ ...machine, listen, password, serverName: `localhost:${port}` }));
}

async function gatePart(machine: Machine, options: Options, port: number, portal: Portal): Promise<Part> {
  const { onlineUrl, adminPasswordFile: file } = options;
  const ofFile = file === undefined ? '' : (await readFile(file, 'utf8')).trim();
  const adminPassword = onlineUrl ? ofFile : await localSecret(machine.dataDir, STAND_IN_PASSWORD);
  const callbackSecret = await localSecret(machine.dataDir, 'callback-secret');
  const neighbours = { ports: [Number(new URL(portal.origin).port)], origins: '', hosts: '' };
  const listen = `127.0.0.1:${port}`;
  const started = gate({
    ...{ ...machine, listen, adminUser: options.adminUser, adminPassword, callbackSecret, neighbours },
  });
  const more = { SVC_LOG_LEVEL: 'warn' };
  return part(async () => ({ ...started, environment: { ...started.environment, ...more } }));
}

async function frontPart({ dataDir, internal, editorUrl }: Machine, port: number, gatePort: number): Promise<Part> {
  const [openPort, askPort, nobody] = (await freePorts(3)) as [number, number, number];
  const logFile = join(dataDir, 'front.log');
  return part(async () => ({
    name: 'front',
    ...(await nginx({
      ...{ prefix: join(dataDir, 'front'), directory: FRONT_DIRECTORY, log: logFile },
      ...{ address: '127.0.0.1', port, openPort, askPort },
      gate: `127.0.0.1:${gatePort}`,
      gateInternal: internal.front,
      docbuilder: `127.0.0.1:${nobody}`,
      editor: new URL(editorUrl).host,
    })),
    logFile,
    readyUrl: `http://127.0.0.1:${port}/svc/healthz`,
  }));
}

/** A part that is started with the options of the moment. */
function part(options: () => Promise<ServiceOptions>): Part {
  let running: RunningService | undefined;
  return {
    async start() {
      running = await startService(await options());
      if (await running.ready) return;
      throw new Error(`${running.name} did not start: ${await running.lastWords()}`);
    },
    kill: async () => running?.kill(),
  };
}

/** An editor whose administrator has said how it is killed and started. */
function givenEditor({ editorKill, editorStart }: Options): Part | undefined {
  if (editorKill === undefined || editorStart === undefined) return undefined;
  return { start: () => runCommand(editorStart), kill: () => runCommand(editorKill) };
}

/** Runs a line of the administrator's in a shell. @throws {Error} when it does not end with 0 */
async function runCommand(line: string): Promise<void> {
  const child = spawn(line, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${line}: ended with ${code ?? signal}`);
}
