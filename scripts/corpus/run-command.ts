import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  /** The time was over, and the command was killed with everything that it had started. */
  late: boolean;
  ms: number;
  stdout: string;
}

/** Runs a command in a process group of its own, so that nothing is left of it. */
export async function runCommand(
  file: string,
  parameters: string[],
  { seconds, env = process.env }: { seconds: number; env?: NodeJS.ProcessEnv },
): Promise<Ended> {
  const started = performance.now();
  const child = spawn(file, parameters, { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece) => pieces.push(piece));
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killGroup(child.pid);
  }, seconds * 1000);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  killGroup(child.pid);
  return { code, late, ms: performance.now() - started, stdout: Buffer.concat(pieces).toString() };
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
