import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { type Overrides, startGate } from '../../cmd/gate/app.ts';
import { loadConfig } from '../../cmd/gate/config.ts';
import { freePorts } from '../../cmd/local/port.ts';
import type { Environment } from '../../src/common/config.ts';
import { GATE_FLAGS } from '../../src/common/node-flags.ts';
import { testLogger } from './logs.ts';
import { type ServiceProcess, spawnMain } from './process.ts';
import { withStore } from './test-store.ts';
import { until } from './until.ts';

const MAIN = resolve(import.meta.dirname, '../../cmd/gate/main.ts');

/** The time in which a gate is ready, and knows its editor: several may start at the same time. */
export const READY_MS = 60_000;

/** A gate that runs, in this process or in one of its own. */
export interface RunningGate {
  /** Public side, without the front. */
  url: string;
  /** Absent in this process. */
  child?: ChildProcess;
  /** Its log so far; empty in this process. */
  log(): string;
  stop(): Promise<void>;
  /** Ends it as on SIGKILL; in this process there is no such thing. */
  kill(): Promise<void>;
}

/** Settings of a gate on free ports, whose editor is nowhere. */
export async function aloneSettings(dataDir: string, changes: Environment = {}): Promise<Environment> {
  const [port, internalPort, nobody] = await freePorts(3);
  return {
    SVC_GATE_LISTEN: `127.0.0.1:${port}`,
    SVC_GATE_INTERNAL_LISTEN: `127.0.0.1:${internalPort}`,
    SVC_GATE_DATA_DIR: dataDir,
    SVC_ONLINE_URL: `http://127.0.0.1:${nobody}`,
    SVC_AUDIT_TARGET: 'off',
    ...changes,
  };
}

/** The gate in this process: its clock and its rhythm can be set. */
export async function startGateHere(environment: Environment, overrides: Overrides): Promise<RunningGate> {
  const gate = await startGate(loadConfig(await inStore(environment)), testLogger(), overrides);
  const stop = () => gate.stop();
  return { url: `http://127.0.0.1:${gate.publicAddress.port}`, log: () => '', stop, kill: stop };
}

/** The gate from its sources as a process, which may not be able to start. */
export function spawnGate(environment: Environment): Pick<ServiceProcess, 'child' | 'ended' | 'log'> {
  return spawnMain(MAIN, environment, GATE_FLAGS);
}

/** The gate as a process, once it is ready. `SVC_GATE_LISTEN` tells where. */
export async function startGateProcess(environment: Environment): Promise<RunningGate & { child: ChildProcess }> {
  const { child, ended, log } = spawnGate(await inStore(environment));
  const url = `http://${environment['SVC_GATE_LISTEN']}`;
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`ended early:\n${log()}`);
    return fetch(`${url}/svc/healthz`).then(
      (response) => response.ok,
      () => undefined,
    );
  };
  await until('the gate is ready', answers, READY_MS);
  const end = (signal: NodeJS.Signals) => async () => {
    child.kill(signal);
    await ended;
  };
  return { url, child, log, stop: end('SIGTERM'), kill: end('SIGKILL') };
}

function inStore(environment: Environment): Promise<Environment> {
  return withStore(environment, environment['SVC_GATE_DATA_DIR']);
}
