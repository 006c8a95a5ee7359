import { parseKeySet } from '../../../src/common/crypto/key-set.ts';
import { readSmallFile } from '../../../src/common/fs/read-small.ts';
import type { Logger } from '../../../src/common/log.ts';
import { FILE_LOOK_MS, repeat } from '../../../src/common/repeat.ts';

const NO_KEYS = '{"keys":[]}';

export interface LicenseKeys {
  /** A JWK Set, the last good one. */
  current(): string;
  stop(): void;
}

/**
 * Reads the key set and keeps it up to date. One that is broken or gone changes nothing: no licence is to end by an
 * accident with a file. One without any keys is a good one, and ends them all.
 * @param path absent: there are no keys, and every licence is refused
 * @throws {Error} when the first reading finds no good one, so that a controller which still has one is not replaced
 */
export async function watchLicenseKeys(
  path: string | undefined,
  { log, onChange }: { log: Pick<Logger, 'info' | 'warn'>; onChange: () => void },
): Promise<LicenseKeys> {
  if (path === undefined) return { current: () => NO_KEYS, stop: () => undefined };
  const file = path;
  let reading = await read(file);
  if (!reading.ok) throw new Error(`SVC_LICENSE_KEYS_FILE ${file} ${reading.problem}`);
  let current = reading.text;

  async function look(): Promise<void> {
    const before = JSON.stringify(reading);
    reading = await read(file);
    if (JSON.stringify(reading) === before) return;
    if (!reading.ok) {
      log.warn(
        { file, problem: reading.problem },
        'the licence key set cannot be used: the previous one stays in effect',
      );
    } else if (reading.text !== current) {
      current = reading.text;
      log.info({ file }, 'the licence key set has changed');
      onChange();
    }
  }

  return { current: () => current, stop: repeat(FILE_LOOK_MS, look) };
}

async function read(path: string): Promise<{ ok: true; text: string } | { ok: false; problem: string }> {
  const file = await readSmallFile(path);
  if (!file.ok) return file;
  if (!file.text) return { ok: false, problem: file.text === null ? 'is missing' : 'is empty' };
  const keys = parseKeySet(file.text);
  return keys.ok ? { ok: true, text: file.text } : { ok: false, problem: `is refused: ${keys.problem}` };
}
