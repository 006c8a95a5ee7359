import { dirname, join } from 'node:path';
import type { Audit } from './audit.ts';
import { type Clock, iso } from './clock.ts';
import type { LicenseState } from './crypto/license.ts';
import { readSmallFile, type SmallFile } from './fs/read-small.ts';
import { watchFiles } from './fs/watch-files.ts';
import { type LicenseMemory, NOTHING_KEPT, readKeySet, recall, remember } from './license-memory.ts';
import type { Logger } from './log.ts';

export interface LicenseFileOptions {
  /**
   * File with the licence token. Absent: there is no licence. A file `removed-at` beside it, an ISO 8601 time, says that
   * the licence was taken away then: its grace runs from that time, whenever this is read.
   */
  tokenPath?: string | undefined;
  /** File with the JWK Set of the public keys. */
  keysPath?: string | undefined;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Records the first state and each that differs in state, claims or problem, also by time alone. */
  audit?: Pick<Audit, 'record'>;
  /** Milliseconds between looks at the files that no event asked for. */
  pollMs?: number | undefined;
}

export interface LicenseFile {
  /** The state by the clock's time now, of the files as last read. */
  current(): LicenseState;
  stop(): void;
}

const NOT_CONFIGURED: SmallFile = { ok: false, problem: 'is not configured' };

/**
 * Reads the licence and keeps it up to date while the service runs: a token or key set that is changed, added or
 * removed counts without a restart, see `remember` for what wins. Resolves when the files have been read once. Rejects
 * for nothing that is in them.
 */
export async function watchLicense(options: LicenseFileOptions): Promise<LicenseFile> {
  const { tokenPath, keysPath, clock } = options;
  const removedAtPath = tokenPath === undefined ? undefined : join(dirname(tokenPath), 'removed-at');
  let memory: LicenseMemory = NOTHING_KEPT;
  let announced = '';
  let stopped = false;

  async function look(): Promise<void> {
    if (tokenPath !== undefined && removedAtPath !== undefined) {
      // Before the token: a token that comes back takes the file away first, and one that goes leaves it.
      const removedAt = await readSmallFile(removedAtPath);
      const token = await readSmallFile(tokenPath);
      const keys = readKeySet(keysPath === undefined ? NOT_CONFIGURED : await readSmallFile(keysPath));
      memory = await remember(memory, { token, keys, removedAt }, clock());
    }
    if (!stopped) announce();
  }

  function announce(): void {
    const current = recall(memory, clock());
    const { state, claims, problem } = current;
    const summary = JSON.stringify([state, claims, problem]);
    if (summary === announced) return;
    announced = summary;
    logState(options.log, current, memory.kept?.license.kid);
    options.audit?.record('license.changed', { state, problem });
  }

  await look();
  const paths = [tokenPath, removedAtPath, keysPath].filter((path) => path !== undefined);
  const stopWatching = tokenPath === undefined ? () => undefined : watchFiles(paths, look, { pollMs: options.pollMs });

  return {
    current: () => recall(memory, clock()),
    stop: () => {
      stopped = true;
      stopWatching();
    },
  };
}

function logState(log: LicenseFileOptions['log'], current: LicenseState, kid: string | undefined): void {
  const { state, claims, problem, graceDaysLeft } = current;
  const facts = {
    state,
    ...(claims && { kid, sub: claims.sub, conns: claims.conns, features: claims.features }),
    ...(claims && { expires_at: iso(claims.expiresAt) }),
    ...(graceDaysLeft !== null && { grace_days_left: graceDaysLeft }),
    ...(problem !== null && { problem }),
  };
  const fine = (state === 'valid' || state === 'none') && problem === null;
  log[fine ? 'info' : 'warn']({ license: facts }, `licence ${state}`);
}
