import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../cmd/local/port.ts';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { Timings } from '../../examples/editor/options.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import type { Environment } from '../../src/common/config.ts';
import { type RunningFront, startFront } from '../e2e/front/support/nginx.ts';
import { type Canary, startCanary } from './canary.ts';
import { type RunningGate, startGateHere, startGateProcess } from './gate.ts';
import { callbackReceiver } from './gate-receiver.ts';
import { secret } from './logs.ts';
import { type Sessions, sessionsAt } from './sessions.ts';
import { until } from './until.ts';

/** The stand-in editor in a hurry. */
const EDITOR_TIMINGS: Partial<Timings> = { uploadGap: 20, unloadRetry: 40, giveUp: 40 };
const SAMPLE_MS = 100;
/** Moves of the clock that no part of the gate takes for a time without samples. */
const STEP_MS = 20_000;

export const PORTAL_ORIGIN = 'https://portal.example.com';
export const ORIGINAL: Buffer = Buffer.from(ooxml('docx', { paragraphs: 1 }));

export interface StackOptions {
  environment?: Environment;
  /** The gate as a process of its own: it can be killed, and its clock is the machine's. */
  process?: boolean;
  /** What the portal's receiver answers to callbacks, null for never; 204 without it. */
  receives?: Parameters<typeof callbackReceiver>[0];
}

/** All that a user of the embedded editor meets: a real front before a real gate and the stand-in editor, and a portal. */
export interface Stack extends Sessions {
  front: RunningFront;
  editor: StandInEditor;
  gate: RunningGate;
  receiver: Awaited<ReturnType<typeof callbackReceiver>>;
  /** Where documents come from. */
  portal: Canary;
  callbackSecret: string;
  /** As the gate is started. */
  environment: Environment;
  /** Moves the gate's clock on, sample by sample. */
  pass(ms: number): Promise<void>;
  /** Starts the editor where it was, after it has ended. */
  restartEditor(): Promise<void>;
  /** Starts the gate again where it was, so many milliseconds later by its clock. */
  restart(awayMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startStack({
  environment = {},
  process = false,
  receives = () => 204,
}: StackOptions = {}): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-stack-'));
  const [gatePort, internalPort, nobody] = await freePorts(3);
  const [jwtSecret, callbackSecret, password] = [newSecret(), newSecret(), newSecret()];
  const portal = await startCanary((_request, response) => void response.end(ORIGINAL));
  const receiver = await callbackReceiver(receives);
  const startIt = (port: number) =>
    startEditor({
      port,
      host: '127.0.0.1',
      wopiAllow: [`127.0.0.1:${internalPort}`],
      admin: { user: 'admin', password },
      timings: EDITOR_TIMINGS,
    });
  const editor = await startIt(0);
  const front = await startFront({
    gate: `127.0.0.1:${gatePort}`,
    gateInternal: `127.0.0.1:${internalPort}`,
    docbuilder: `127.0.0.1:${nobody}`,
    editor: `127.0.0.1:${editor.port}`,
  });
  const url = front.url.origin;
  const settings: Environment = {
    SVC_GATE_LISTEN: `127.0.0.1:${gatePort}`,
    SVC_GATE_INTERNAL_LISTEN: `127.0.0.1:${internalPort}`,
    SVC_GATE_DATA_DIR: join(folder, 'gate'),
    SVC_GATE_WOPI_URL: `http://127.0.0.1:${internalPort}`,
    SVC_ONLINE_URL: editor.url,
    SVC_ONLINE_ADMIN_PASSWORD: password,
    SVC_EMBED_JWT_SECRET: jwtSecret,
    SVC_EMBED_CALLBACK_SECRET: callbackSecret,
    SVC_EMBED_ALLOWED_ORIGINS: PORTAL_ORIGIN,
    SVC_FETCH_ALLOW_HOSTS: '127.0.0.1',
    SVC_AUDIT_TARGET: 'off',
    // A gate that is started again starts in half the time.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ...environment,
  };
  const clock = { ahead: 0 };
  const start = (): Promise<RunningGate> =>
    process
      ? startGateProcess(settings)
      : startGateHere(settings, { clock: () => Date.now() + clock.ahead, sampleIntervalMs: SAMPLE_MS });

  const sessions = sessionsAt(url, {
    origin: PORTAL_ORIGIN,
    documentUrl: `http://127.0.0.1:${portal.port}/a.docx?t=1`,
    callbackUrl: receiver.url,
    jwtSecret,
    clock: () => Date.now() + clock.ahead,
  });
  const { status } = sessions;

  const stack: Stack = {
    ...sessions,
    ...{ front, editor, receiver, portal, callbackSecret },
    gate: await start(),
    environment: settings,
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.ahead += Math.min(left, STEP_MS);
        // One that was asked for after the move.
        await new Promise((resolve) => setTimeout(resolve, 2 * SAMPLE_MS));
        await until('a fresh sample', async () => (await status()).connections.sample_age_seconds === 0 || undefined);
      }
    },
    async restartEditor() {
      stack.editor = await startIt(editor.port);
    },
    async restart(awayMs = 0) {
      clock.ahead += awayMs;
      stack.gate = await start();
    },
    async stop() {
      await front.stop();
      await stack.editor.kill();
      await stack.gate.stop();
      await Promise.all([receiver.stop(), portal.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
  await until('the editor is known', async () => (await status()).upstream.editor_server === 'ok' || undefined);
  return stack;
}

function newSecret(): string {
  return secret(randomBytes(24).toString('hex'));
}
