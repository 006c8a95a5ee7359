import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program; its stdout. An error says what it wrote to stderr. */
export async function withInput(program: string, parameters: readonly string[], input = ''): Promise<string> {
  const child = spawn(program, parameters, { stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${parameters.join(' ')}: ${stderr}`);
  return stdout;
}
