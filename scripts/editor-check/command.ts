import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a line of the administrator's in a shell. @throws {Error} when it does not end with 0 */
export async function runCommand(line: string): Promise<void> {
  const child = spawn(line, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${line}: ended with ${code ?? signal}`);
}
