import { runCommand } from './run-command.ts';

export interface PdfFacts {
  pages: number;
  /** NFC, white space folded to single spaces. */
  text: string;
}

const PDF_SECONDS = 120;

/**
 * Pages and text of a PDF, by poppler's pdftotext, which puts a form feed behind each page.
 * @throws when pdftotext cannot read the file
 */
export async function readPdf(path: string): Promise<PdfFacts> {
  const { code, stdout } = await runCommand('pdftotext', ['-enc', 'UTF-8', path, '-'], { seconds: PDF_SECONDS });
  if (code !== 0) throw new Error(`pdftotext ended with ${code} for ${path}`);
  return { pages: stdout.split('\f').length - 1, text: fold(stdout) };
}

/** The text as it is compared: NFC, with single spaces. */
export function fold(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\s\u200b]+/gu, ' ')
    .trim();
}
