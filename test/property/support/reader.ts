import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PYTHON = fileURLToPath(new URL('../../../.cache/readers-venv/bin/python', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../read/reader.py', import.meta.url));

/** Why documents cannot be read here, or nothing. */
export function missingReader(): string | undefined {
  return existsSync(PYTHON) ? undefined : 'python-docx and its like are not there (scripts/setup.sh test)';
}

/** Reads documents with what others read them with. */
export interface Reader {
  read<Facts>(path: string, format: string): Promise<Facts>;
  stop(): void;
}

export function startReader(): Reader {
  const child: ChildProcess = spawn(PYTHON, ['-u', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: { resolve: (facts: unknown) => void; reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const { facts, error } = JSON.parse(line) as { facts?: unknown; error?: string };
    const next = waiting.shift();
    if (error === undefined) next?.resolve(facts);
    else next?.reject(new Error(error));
  });
  child.on('exit', (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the reader ended with ${code}`));
  });
  return {
    read: <Facts>(path: string, format: string) =>
      new Promise<Facts>((resolve, reject) => {
        waiting.push({ resolve: resolve as (facts: unknown) => void, reject });
        child.stdin?.write(`${JSON.stringify({ path, format })}\n`);
      }),
    stop: () => void child.stdin?.end(),
  };
}

const run = promisify(execFile);

/**
 * The text of a PDF twice: in the order in which it was drawn, and as it stands on its pages. Where a font lacks
 * letters, those of other fonts are drawn later; and next to a column, lines of others stand.
 */
export async function pdfText(path: string): Promise<string> {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const texts = [['-raw'], []].map((order) => run('pdftotext', [...order, '-enc', 'UTF-8', path, '-'], options));
  return (await Promise.all(texts)).map(({ stdout }) => stdout).join('\f');
}
