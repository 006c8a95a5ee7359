import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../cmd/local/port.ts';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { Environment } from '../../src/common/config.ts';
import type { EmbedSession, GateStatus } from '../../src/common/generated/wire.ts';
import { type RunningFront, startFront } from '../e2e/front/support/nginx.ts';
import { startBalancer } from './balancer.ts';
import { startCanary } from './canary.ts';
import { type RunningGate, startGateProcess } from './gate.ts';
import { callbackReceiver } from './gate-receiver.ts';
import { secret } from './logs.ts';
import { type S3Server, s3Environment } from './s3-server.ts';
import { type Sessions, sessionsAt } from './sessions.ts';
import { ORIGINAL, PORTAL_ORIGIN } from './stack.ts';
import { until } from './until.ts';

/** One of several gates. */
export interface OneGate extends RunningGate {
  ports: { public: number; internal: number };
  status(): Promise<GateStatus>;
  /** Returns whether it says that it leads; a killed one says so for ever. */
  leads(): boolean;
}

/** Several gates as processes on one database and one bucket, behind a front, with an editor and a portal. */
export interface Gates extends Sessions {
  front: RunningFront;
  editor: StandInEditor;
  receiver: Awaited<ReturnType<typeof callbackReceiver>>;
  all: OneGate[];
  /** Starts one more. */
  add(): Promise<OneGate>;
  /** Takes one out of the front's sight, as a cluster does, and ends it when nobody is connected to it any more. */
  remove(gate: OneGate): Promise<void>;
  kill(gate: OneGate): Promise<void>;
  /** Saves as the editor does, at any gate unless told. @returns the status */
  put(session: EmbedSession, content: string, gate?: OneGate): Promise<number>;
  /** Returns the status of the editor's CheckFileInfo. */
  info(session: EmbedSession, gate?: OneGate): Promise<number>;
  /** Asks whether a session may open. */
  auth(uri: string, gate?: OneGate): Promise<number>;
  stop(): Promise<void>;
}

export interface GatesOptions {
  count: number;
  databaseUrl: string;
  s3: S3Server;
  environment?: Environment;
  receives?: Parameters<typeof callbackReceiver>[0];
}

export async function startGates({
  count,
  databaseUrl,
  s3,
  environment = {},
  receives = () => 204,
}: GatesOptions): Promise<Gates> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-gates-'));
  const [nobody] = await freePorts(1);
  const [jwtSecret, callbackSecret, password] = [newSecret(), newSecret(), newSecret()];
  const portal = await startCanary((_request, response) => void response.end(ORIGINAL));
  const receiver = await callbackReceiver(receives);
  const [everybody, internal] = [await startBalancer(), await startBalancer()];
  const wopi = `127.0.0.1:${internal.port}`;
  const editor = await startEditor({
    port: 0,
    host: '127.0.0.1',
    wopiAllow: [wopi],
    admin: { user: 'admin', password },
  });
  const front = await startFront({
    gate: `127.0.0.1:${everybody.port}`,
    gateInternal: wopi,
    docbuilder: `127.0.0.1:${nobody}`,
    editor: `127.0.0.1:${editor.port}`,
  });
  const settings: Environment = {
    SVC_DATABASE_URL: databaseUrl,
    ...s3Environment(s3),
    SVC_S3_PREFIX: `${randomBytes(4).toString('hex')}/`,
    SVC_GATE_WOPI_URL: `http://${wopi}`,
    SVC_ONLINE_URL: editor.url,
    SVC_ONLINE_ADMIN_PASSWORD: password,
    SVC_EMBED_JWT_SECRET: jwtSecret,
    SVC_EMBED_CALLBACK_SECRET: callbackSecret,
    SVC_EMBED_ALLOWED_ORIGINS: PORTAL_ORIGIN,
    SVC_FETCH_ALLOW_HOSTS: '127.0.0.1',
    SVC_AUDIT_TARGET: 'off',
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ...environment,
  };
  const sessions = sessionsAt(front.url.origin, {
    origin: PORTAL_ORIGIN,
    documentUrl: `http://127.0.0.1:${portal.port}/a.docx`,
    callbackUrl: receiver.url,
    jwtSecret,
  });
  const at = (gate?: OneGate) => `http://127.0.0.1:${gate?.ports.internal ?? internal.port}`;
  const fileOf = ({ doc_id, form }: EmbedSession, path = '') =>
    `/svc/wopi/files/${doc_id}${path}?access_token=${form.access_token}`;
  const ask = async (url: string, init: RequestInit = {}): Promise<number> => {
    // Each question may go to another gate.
    const response = await fetch(url, { ...init, headers: { Connection: 'close', ...init.headers } });
    await response.arrayBuffer();
    return response.status;
  };

  const gates: Gates = {
    ...sessions,
    ...{ front, editor, receiver },
    all: [],
    async add() {
      const [port = 0, internalPort = 0] = await freePorts(2);
      const running = await startGateProcess({
        ...settings,
        SVC_GATE_LISTEN: `127.0.0.1:${port}`,
        SVC_GATE_INTERNAL_LISTEN: `127.0.0.1:${internalPort}`,
        SVC_GATE_DATA_DIR: join(folder, `gate-${port}`),
      });
      const gate: OneGate = {
        ...running,
        ports: { public: port, internal: internalPort },
        status: async () => (await (await fetch(`${running.url}/svc/status`)).json()) as GateStatus,
        leads: () => running.log().lastIndexOf('this gate leads"') > running.log().lastIndexOf('leads no more'),
      };
      gates.all.push(gate);
      everybody.add(port);
      internal.add(internalPort);
      return gate;
    },
    async remove(gate) {
      await forget(gate);
      await gate.stop();
    },
    async kill(gate) {
      await gate.kill();
      await forget(gate);
    },
    put: (session, content, gate) =>
      ask(`${at(gate)}${fileOf(session, '/contents')}`, {
        method: 'POST',
        headers: { 'X-WOPI-Override': 'PUT', 'X-COOL-WOPI-IsModifiedByUser': 'true' },
        body: content,
      }),
    info: (session, gate) => ask(`${at(gate)}${fileOf(session)}`),
    auth: (uri, gate) =>
      ask(`${at(gate)}/svc/auth`, { method: 'POST', headers: { 'X-Original-URI': uri, 'X-SVC-Stage': 'ws' } }),
    async stop() {
      await front.stop();
      await editor.kill();
      await Promise.all(gates.all.map((gate) => gate.stop()));
      await Promise.all([receiver.stop(), portal.close(), everybody.close(), internal.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function forget(gate: OneGate): Promise<void> {
    gates.all.splice(gates.all.indexOf(gate), 1);
    await Promise.all([everybody.remove(gate.ports.public), internal.remove(gate.ports.internal)]);
  }

  await Promise.all(Array.from({ length: count }, () => gates.add()));
  await until('all know the editor', async () => {
    const states = await Promise.all(gates.all.map((gate) => gate.status()));
    return states.every(({ upstream }) => upstream.editor_server === 'ok') || undefined;
  });
  return gates;
}

function newSecret(): string {
  return secret(randomBytes(24).toString('hex'));
}
