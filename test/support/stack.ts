import { join } from 'node:path';
import { freePorts } from '../../cmd/local/port.ts';
import { type RunningGate, startGateHere, startGateProcess } from './gate.ts';
import { type SurroundingsOptions, startSurroundings } from './surroundings.ts';
import { getStore, withStore } from './test-store.ts';
import { until } from './until.ts';

const SAMPLE_MS = 40;
/** Moves of the clock that no part of the gate takes for a time without samples. */
const STEP_MS = 20_000;

export interface StackOptions extends Pick<SurroundingsOptions, 'environment' | 'receives'> {
  /** The gate as a process of its own: it can be killed, and its clock is the machine's. */
  process?: boolean;
}

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** All that a user of the embedded editor meets: a real front before a real gate and the stand-in editor, and a portal. */
export async function startStack({ environment, process = false, receives }: StackOptions = {}) {
  const [port = 0, internal = 0] = await freePorts(2);
  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const around = await startSurroundings({ ports: { public: port, internal }, environment, receives, clock });
  const dataDir = environment?.['SVC_GATE_DATA_DIR'] ?? join(around.folder, 'gate');
  const settings = await withStore(
    {
      SVC_GATE_LISTEN: `127.0.0.1:${port}`,
      SVC_GATE_INTERNAL_LISTEN: `127.0.0.1:${internal}`,
      SVC_GATE_DATA_DIR: dataDir,
      ...around.settings,
    },
    dataDir,
  );
  const start = (): Promise<RunningGate> =>
    process ? startGateProcess(settings) : startGateHere(settings, { clock, sampleIntervalMs: SAMPLE_MS });
  const store = await getStore(dataDir);
  const move = async (ms: number) => {
    ahead += ms;
    await store?.setTime(clock(), { runs: true });
  };

  const { parts } = around;
  const { status } = parts;
  const stack = {
    ...parts,
    gate: await start(),
    /** As the gate is started. */
    environment: settings,
    /** Moves the gate's clock on, sample by sample. */
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= STEP_MS) {
        await move(Math.min(left, STEP_MS));
        // One that was asked for after the move.
        await new Promise((resolve) => setTimeout(resolve, 2 * SAMPLE_MS));
        await until('a fresh sample', async () => (await status()).connections.sample_age_seconds === 0);
      }
    },
    /** Starts the editor where it was, after it has ended. */
    async restartEditor(): Promise<void> {
      stack.editor = await around.restartEditor();
    },
    /** Starts the gate again where it was, so many milliseconds later by its clock. */
    async restart(awayMs = 0): Promise<void> {
      if (awayMs > 0) await move(awayMs);
      stack.gate = await start();
    },
    stop: (): Promise<void> => around.stop(() => stack.gate.stop()),
  };
  await until('the editor is known', async () => (await status()).upstream.editor_server === 'ok');
  return stack;
}
