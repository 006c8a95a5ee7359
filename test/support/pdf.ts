import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The text of a PDF, by poppler's pdftotext. */
export async function pdfText(pdf: Uint8Array): Promise<string> {
  const child = spawn('pdftotext', ['-enc', 'UTF-8', '-', '-'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined).end(pdf);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`pdftotext ended with ${code}`);
  return text.normalize('NFC');
}
