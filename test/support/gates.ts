import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePorts } from '../../cmd/local/port.ts';
import type { EmbedSession, GateStatus } from '../../src/common/generated/wire.ts';
import { startBalancer } from './balancer.ts';
import { READY_MS, type RunningGate, startGateProcess } from './gate.ts';
import { type S3Server, s3Environment } from './s3-server.ts';
import { type SurroundingsOptions, startSurroundings } from './surroundings.ts';
import { until } from './until.ts';

/** One of several gates. */
export interface OneGate extends RunningGate {
  ports: { public: number; internal: number };
  status(): Promise<GateStatus>;
  /** Returns whether it says that it leads; a killed one says so for ever. */
  leads(): boolean;
}

export type Gates = Awaited<ReturnType<typeof startGates>>;

export interface GatesOptions extends Pick<SurroundingsOptions, 'environment' | 'receives'> {
  count: number;
  databaseUrl: string;
  s3: S3Server;
}

/** Several gates as processes on one database and one bucket, behind a front, with an editor and a portal. */
export async function startGates({ count, databaseUrl, s3, environment, receives }: GatesOptions) {
  const [everybody, internal] = [await startBalancer(), await startBalancer()];
  const ports = { public: everybody.port, internal: internal.port };
  const around = await startSurroundings({ ports, environment, receives });
  const settings = {
    SVC_DATABASE_URL: databaseUrl,
    ...s3Environment(s3),
    SVC_S3_PREFIX: `${randomBytes(4).toString('hex')}/`,
    ...around.settings,
  };
  const at = (gate?: OneGate) => `http://127.0.0.1:${gate?.ports.internal ?? internal.port}`;
  const filePath = ({ doc_id, form }: EmbedSession, path = '') =>
    `/svc/wopi/files/${doc_id}${path}?access_token=${form.access_token}`;
  const ask = async (url: string, init: RequestInit = {}): Promise<number> => {
    // Each question may go to another gate.
    const response = await fetch(url, { ...init, headers: { Connection: 'close', ...init.headers } });
    await response.arrayBuffer();
    return response.status;
  };

  const gates = {
    ...around.parts,
    all: [] as OneGate[],
    /** Starts one more. */
    async add(): Promise<OneGate> {
      const [port = 0, internalPort = 0] = await freePorts(2);
      const running = await startGateProcess({
        ...settings,
        SVC_GATE_LISTEN: `127.0.0.1:${port}`,
        SVC_GATE_INTERNAL_LISTEN: `127.0.0.1:${internalPort}`,
        SVC_GATE_DATA_DIR: join(around.folder, `gate-${port}`),
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
    /** Takes one out of the front's sight, as a cluster does, and ends it when nobody is connected to it any more. */
    async remove(gate: OneGate) {
      await forget(gate);
      await gate.stop();
    },
    async kill(gate: OneGate) {
      await gate.kill();
      await forget(gate);
    },
    /** Saves as the editor does, by default at any gate. @returns the status */
    put: (session: EmbedSession, content: string, gate?: OneGate, init: RequestInit = {}) =>
      ask(`${at(gate)}${filePath(session, '/contents')}`, {
        method: 'POST',
        ...init,
        headers: { 'X-WOPI-Override': 'PUT', 'X-COOL-WOPI-IsModifiedByUser': 'true', ...init.headers },
        body: content,
      }),
    /** Returns what the editor's CheckFileInfo says, at any gate. */
    fileInfo: async (session: EmbedSession, signal: AbortSignal) => {
      const response = await fetch(`${at()}${filePath(session)}`, { signal, headers: { Connection: 'close' } });
      return (await response.json()) as { LastModifiedTime?: string; Version?: string };
    },
    /** Returns the status of the editor's CheckFileInfo. */
    info: (session: EmbedSession, gate?: OneGate) => ask(`${at(gate)}${filePath(session)}`),
    /** Asks whether a session may open. */
    auth: (uri: string, gate?: OneGate) =>
      ask(`${at(gate)}/svc/auth`, { method: 'POST', headers: { 'X-Original-URI': uri, 'X-SVC-Stage': 'ws' } }),
    stop: () =>
      around.stop(async () => {
        await Promise.all(gates.all.map((gate) => gate.stop()));
        await Promise.all([everybody.close(), internal.close()]);
      }),
  };

  async function forget(gate: OneGate): Promise<void> {
    gates.all.splice(gates.all.indexOf(gate), 1);
    await Promise.all([everybody.remove(gate.ports.public), internal.remove(gate.ports.internal)]);
  }

  await Promise.all(Array.from({ length: count }, () => gates.add()));
  // A busy database answers the first question late: the status is an error then.
  const knowsEditor = (gate: OneGate) =>
    gate.status().then(
      ({ upstream }) => upstream?.editor_server === 'ok',
      () => false,
    );
  await until(
    'all know the editor',
    async () => (await Promise.all(gates.all.map(knowsEditor))).every(Boolean),
    READY_MS,
  );
  return gates;
}
