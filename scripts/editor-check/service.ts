import { mkdtemp, readFile, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nginx } from '../../cmd/local/front.ts';
import { internalSide } from '../../cmd/local/internal.ts';
import { localSecret } from '../../cmd/local/key.ts';
import { FRONT_DIRECTORY, gate, standInEditor } from '../../cmd/local/parts.ts';
import { freePorts } from '../../cmd/local/port.ts';
import { type RunningService, type ServiceOptions, startService } from '../../cmd/local/service.ts';
import { runCommand } from './command.ts';
import { type Line, openLine } from './line.ts';
import type { Options } from './options.ts';

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

/** Starts it, with the stand-in editor unless `options.onlineUrl` says which to try. @throws when a part does not start */
export async function startCheckedService(options: Options): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-editor-check-'));
  const ports = (await freePorts(6)) as [number, number, number, number, number, number];
  const [gatePort, standInPort, frontPort, openPort, askPort, nobody] = ports;
  const on = (port: number): string => `127.0.0.1:${port}`;
  const internal = internalSide(
    { SVC_GATE_WOPI_URL: options.wopiUrl, SVC_GATE_INTERNAL_LISTEN: options.wopiListen },
    options.port + 1,
  );
  const line = await openLine(options.port, frontPort);
  const address = `http://localhost:${options.port}`;
  const machine = { address, dataDir, internal };
  const ownPassword = await localSecret(dataDir, 'editor-password');
  const editorUrl = options.onlineUrl ?? `http://${on(standInPort)}`;
  const adminPassword = options.adminPasswordFile ? (await readFile(options.adminPasswordFile, 'utf8')).trim() : '';

  const standIn = part(async () =>
    standInEditor({
      ...machine,
      listen: on(standInPort),
      password: ownPassword,
      serverName: `localhost:${options.port}`,
    }),
  );
  const gatePart = part(async () => {
    const started = gate({
      ...machine,
      listen: on(gatePort),
      editorUrl,
      adminPassword: options.onlineUrl ? adminPassword : ownPassword,
      callbackSecret: await localSecret(dataDir, 'callback-secret'),
    });
    return {
      ...started,
      environment: { ...started.environment, SVC_ONLINE_ADMIN_USER: options.adminUser, SVC_LOG_LEVEL: 'warn' },
    };
  });
  const front = part(async () => ({
    name: 'front',
    ...(await nginx({
      prefix: join(dataDir, 'front'),
      directory: FRONT_DIRECTORY,
      log: join(dataDir, 'front.log'),
      address: '127.0.0.1',
      ...{ port: frontPort, openPort, askPort },
      gate: on(gatePort),
      gateInternal: internal.front,
      docbuilder: on(nobody),
      editor: new URL(editorUrl).host,
    })),
    logFile: join(dataDir, 'front.log'),
    readyUrl: `http://${on(frontPort)}/svc/healthz`,
    environment: {},
  }));

  const own = options.onlineUrl === undefined;
  const stop = async (): Promise<void> => {
    for (const each of [front, gatePart, ...(own ? [standIn] : [])]) await each.kill();
    await line.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    if (own) await standIn.start();
    await gatePart.start();
    await front.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ url: address, gateUrl: `http://${on(gatePort)}`, wopiUrl: internal.wopiUrl, internal: internal.front },
    ...{ editorUrl, line, frontPort, front, gate: gatePart, stop },
    editor: own ? standIn : givenEditor(options),
    async saveBegins() {
      for await (const _ of watch(join(dataDir, 'gate/blobs/incoming'))) return;
    },
  };
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
