import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Milliseconds from the start of a command to its end. @throws when it does not end with 0 */
export async function timeCommand(file: string, parameters: string[], env: Record<string, string>): Promise<number> {
  const started = performance.now();
  const child = spawn(file, parameters, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${errors.slice(-500)}`);
  return performance.now() - started;
}

/** The environment that commands get: a home of their own and nothing else of the user's. */
export function plainEnvironment(home: string): Record<string, string> {
  return { HOME: home, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };
}
