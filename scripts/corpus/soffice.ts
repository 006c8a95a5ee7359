import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from './run-command.ts';

/** `soffice --headless --convert-to pdf`, with a profile and a home of its own. */
export interface Soffice {
  /** Converts files that differ in the names of their PDFs. */
  convert(paths: readonly string[], seconds: number): Promise<Run>;
}

export interface Run {
  /** Exit code of soffice; also 0 for files that it did not open. */
  end: 'ended' | 'crashed' | 'late';
  ms: number;
  /** For each file in its order, where the PDF is and when it was there, in ms since the epoch; undefined without one. */
  made: ({ path: string; at: number } | undefined)[];
}

/**
 * @param folder for its profile and its results; emptied
 * @param env more of its environment
 */
export async function prepareSoffice(folder: string, env: NodeJS.ProcessEnv = {}): Promise<Soffice> {
  const profile = join(folder, 'profile');
  const output = join(folder, 'out');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const environment = { HOME: folder, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'UTC', ...env };
  return {
    async convert(paths, seconds) {
      await rm(output, { recursive: true, force: true });
      const parameters = [`-env:UserInstallation=${pathToFileURL(profile).href}`, '--headless', '--convert-to', 'pdf'];
      const { code, late, ms } = await runCommand('soffice', [...parameters, '--outdir', output, ...paths], {
        seconds,
        env: environment,
      });
      const end = late ? 'late' : code === 0 ? 'ended' : 'crashed';
      // A profile that a crash left behind asks for recovery.
      if (end !== 'ended') await rm(profile, { recursive: true, force: true });
      return { end, ms, made: await Promise.all(paths.map((path) => findPdf(join(output, pdfName(path))))) };
    },
  };
}

/** The name that the command gives to the PDF of a file. */
export function pdfName(path: string): string {
  return `${basename(path, extname(path))}.pdf`;
}

async function findPdf(path: string): Promise<{ path: string; at: number } | undefined> {
  if (!existsSync(path)) return undefined;
  const { size, mtimeMs } = await stat(path);
  return size === 0 ? undefined : { path, at: mtimeMs };
}
