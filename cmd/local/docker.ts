import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { NotPossible } from './not-possible.ts';

const ANSWER_MS = 10_000;

/** Runs a command of Docker's. @returns what it prints @throws {NotPossible} what Docker says */
export async function docker(...parameters: string[]): Promise<string> {
  try {
    return (await promisify(execFile)('docker', parameters)).stdout.trim();
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new NotPossible(`EDITOR=docker: ${lastLine(stderr) || message}`);
  }
}

/** @throws {NotPossible} unless an engine answers */
export async function requireDocker(): Promise<void> {
  const asked = promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: ANSWER_MS });
  await asked.catch(({ code, stderr }: { code?: unknown; stderr?: string }) => {
    throw new NotPossible(
      code === 'ENOENT'
        ? 'EDITOR=docker: there is no program `docker` on this machine. Install it: sudo apt install docker.io'
        : `EDITOR=docker: Docker does not answer: ${lastLine(stderr) || `nothing in ${ANSWER_MS / 1000} s`}. Is it started (sudo systemctl start docker), and may you use it (sudo usermod -aG docker $USER, then log in again)?`,
    );
  });
}

/** Pulls an image unless it is there, and shows how far it is. @throws {NotPossible} */
export async function pullImage(image: string, signal: AbortSignal): Promise<void> {
  const isThere = await docker('image', 'inspect', '--format', 'there', image).catch(() => '');
  if (isThere) return;
  console.log(`Pulling ${image}, over 1 GB.`);
  const child = spawn('docker', ['pull', image], { stdio: ['ignore', 'inherit', 'pipe'], signal });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await once(child, 'close').then(
    ([code]) => code as number | null,
    () => null,
  );
  if (code !== 0) throw new NotPossible(`EDITOR=docker: the image ${image} cannot be pulled: ${lastLine(said)}`);
}

function lastLine(text = ''): string {
  return (
    text
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/[.?]+$/, '') ?? ''
  );
}
