import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../cmd/local/port.ts';
import type { Environment } from '../../src/common/config.ts';
import { signHs256 } from '../../src/common/crypto/jwt.ts';
import type { EmbedSession, EmbedSessionState, GateStatus } from '../../src/common/generated/wire.ts';
import { type RunningFront, startFront } from '../e2e/front/support/nginx.ts';
import { type EditorClient, type OpenOptions, openEditor } from '../editor/client.ts';
import { type StandInEditor, startEditor } from '../editor/editor.ts';
import type { Timings } from '../editor/options.ts';
import { type Canary, startCanary } from './canary.ts';
import { ooxml } from './documents.ts';
import { type RunningGate, startGateHere, startGateProcess } from './gate.ts';
import { callbackReceiver } from './gate-receiver.ts';
import { secret } from './logs.ts';
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
}

/** What a portal asks for; the rest is as usual. */
export interface Wanted {
  key?: string;
  mode?: 'edit' | 'view';
  user?: { id: string; name: string };
}

/** All that a user of the embedded editor meets: a real front before a real gate and the stand-in editor, and a portal. */
export interface Stack {
  front: RunningFront;
  /** Of the front, without a slash at its end. */
  url: string;
  editor: StandInEditor;
  gate: RunningGate;
  receiver: Awaited<ReturnType<typeof callbackReceiver>>;
  /** Where documents come from. */
  portal: Canary;
  callbackSecret: string;
  /** As the gate is started. */
  environment: Environment;
  /** A request through the front. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** An embed configuration as a portal signs it. */
  token(wanted?: Wanted): Promise<string>;
  /** A session that must come about. */
  create(wanted?: Wanted): Promise<EmbedSession>;
  /** A request of a session. */
  ask(session: EmbedSession, path?: string, init?: RequestInit): Promise<Response>;
  state(session: EmbedSession): Promise<EmbedSessionState>;
  status(): Promise<GateStatus>;
  /** Opens a session in the editor, through the front. */
  open(session: EmbedSession, options?: Partial<OpenOptions>): Promise<EditorClient>;
  /** Saves as the browser library does; resolves as its `save()`: with the version that the gate has. */
  save(session: EmbedSession, client: EditorClient): Promise<number>;
  /** Moves the gate's clock on, sample by sample. */
  pass(ms: number): Promise<void>;
  /** Starts the gate again where it was. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startStack({ environment = {}, process = false }: StackOptions = {}): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-stack-'));
  const [gatePort, internalPort, nobody] = await freePorts(3);
  const [jwtSecret, callbackSecret, password] = [newSecret(), newSecret(), newSecret()];
  const portal = await startCanary((_request, response) => void response.end(ORIGINAL));
  const receiver = await callbackReceiver(() => 204);
  const editor = await startEditor({
    port: 0,
    host: '127.0.0.1',
    wopiAllow: [`127.0.0.1:${internalPort}`],
    admin: { user: 'admin', password },
    timings: EDITOR_TIMINGS,
  });
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

  const call: Stack['call'] = (path, init) => fetch(`${url}${path}`, init);
  const ask: Stack['ask'] = (session, path = '', init = {}) =>
    call(`/svc/embed/session/${session.session_id}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${session.form.access_token}`, ...init.headers },
    });
  const json = async <Body>(response: Response, status: number): Promise<Body> => {
    if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const token: Stack['token'] = ({ key = 'contract-1', mode = 'edit', user = { id: 'u1', name: 'An' } } = {}) =>
    signHs256(
      {
        document: { url: `http://127.0.0.1:${portal.port}/a.docx?t=1`, title: 'Hợp đồng.docx', fileType: 'docx', key },
        editor: { mode, user, callbackUrl: receiver.url },
        exp: Math.floor((Date.now() + clock.ahead) / 1000) + 600,
      },
      jwtSecret,
    );
  const state: Stack['state'] = async (session) => json(await ask(session), 200);
  const status: Stack['status'] = async () => json(await call('/svc/status'), 200);

  const stack: Stack = {
    ...{ front, url, editor, receiver, portal, callbackSecret, call, token, ask, state, status },
    gate: await start(),
    environment: settings,
    async create(wanted) {
      const body = JSON.stringify({ token: await token(wanted) });
      const headers = { 'Content-Type': 'application/json', Origin: PORTAL_ORIGIN };
      const session = await json<EmbedSession>(
        await call('/svc/embed/session', { method: 'POST', headers, body }),
        201,
      );
      secret(session.form.access_token);
      return session;
    },
    open: (session, options) =>
      openEditor({ server: url, session: { ...session, form: { ...session.form } }, ...options }),
    async save(session, client) {
      const nonce = randomBytes(8).toString('hex');
      await client.save({ extendedData: `svc1.${nonce}` });
      return until(`the save ${nonce}`, async () => {
        const { save } = await state(session);
        return save?.nonce === nonce ? save.version : undefined;
      });
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.ahead += Math.min(left, STEP_MS);
        // One that was asked for after the move.
        await new Promise((resolve) => setTimeout(resolve, 2 * SAMPLE_MS));
        await until('a fresh sample', async () => (await status()).connections.sample_age_seconds === 0 || undefined);
      }
    },
    async restart() {
      stack.gate = await start();
    },
    async stop() {
      await front.stop();
      await editor.kill();
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
