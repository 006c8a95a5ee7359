import { mkdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { plainEnvironment, timeCommand } from './command.ts';

/** `soffice --headless --convert-to pdf`, one process for each file. */
export interface SofficePerJob {
  /** Milliseconds, and where the PDF is. */
  convert(path: string): Promise<{ ms: number; output: string }>;
}

/** @param warmUp a file that is converted once, so that the ordinary profile exists and is no longer new */
export async function prepareSoffice(program: string, directory: string, warmUp: string): Promise<SofficePerJob> {
  const home = join(directory, 'soffice');
  const outputs = join(home, 'out');
  await mkdir(outputs, { recursive: true });
  const profile = `-env:UserInstallation=${pathToFileURL(join(home, 'profile')).href}`;
  const convert = async (path: string): Promise<{ ms: number; output: string }> => {
    const parameters = [profile, '--headless', '--convert-to', 'pdf', '--outdir', outputs, path];
    const ms = await timeCommand(join(program, 'soffice'), parameters, plainEnvironment(home));
    return { ms, output: join(outputs, `${basename(path, extname(path))}.pdf`) };
  };
  await convert(warmUp);
  return { convert };
}
