import { dirname, join } from 'node:path';
import type { Audit } from './audit.ts';
import { type Clock, iso } from './clock.ts';
import { type KeySet, type Parsed, parseKeySet } from './crypto/key-set.ts';
import {
  invalidLicense,
  type License,
  type LicenseState,
  licenseState,
  NO_LICENSE,
  verifyLicense,
} from './crypto/license.ts';
import { readSmallFile, type SmallFile } from './fs/read-small.ts';
import type { Logger } from './log.ts';
import { FILE_LOOK_MS, repeat } from './repeat.ts';

export interface LicenseFileOptions {
  /**
   * File with the licence token; without it there is no licence. A file `removed-at` beside it has the ISO 8601 time at
   * which the licence was removed, and its grace begins.
   */
  tokenPath?: string | undefined;
  /** File with the JWK Set of the public keys. */
  keysPath?: string | undefined;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Records the first state, and each change of state, claims or problem. */
  audit?: Pick<Audit, 'record'>;
  pollMs?: number;
}

export interface LicenseFile {
  /** Returns the state at the clock's time of the files as last read. */
  current(): LicenseState;
  stop(): void;
}

const NOT_CONFIGURED: SmallFile = { ok: false, problem: 'is not configured' };

/**
 * Reads the licence, and again whenever its files change (see `remember`). Resolves after the first look. Does not
 * reject for a file's content.
 */
export async function watchLicense(options: LicenseFileOptions): Promise<LicenseFile> {
  const { tokenPath, keysPath, clock, pollMs = FILE_LOOK_MS } = options;
  let memory: LicenseMemory = NOTHING_KEPT;
  let announced = '';
  let stopped = false;

  async function look(): Promise<void> {
    if (tokenPath !== undefined) {
      // Before the token: a token that comes back takes the file away first, and one that goes leaves it.
      const removedAt = await readSmallFile(join(dirname(tokenPath), 'removed-at'));
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
  const stopLooking = tokenPath === undefined ? () => undefined : repeat(pollMs, look);

  return {
    current: () => recall(memory, clock()),
    stop: () => {
      stopped = true;
      stopLooking();
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

/** The last good token. */
interface Kept {
  token: string;
  license: License;
  /** When it was verified; epoch milliseconds, like all times here. */
  verifiedAt: number;
  /** When its file was found missing. */
  removedAt?: number;
}

/** The state between two looks at the files. */
export interface LicenseMemory {
  readonly kept: Kept | null;
  /** Problem of the current files. */
  readonly problem: string | null;
}

export const NOTHING_KEPT: LicenseMemory = { kept: null, problem: null };

/** The current files. */
export interface LicenseFiles {
  token: SmallFile;
  keys: Parsed<KeySet>;
  /** The time of removal, ISO 8601. */
  removedAt?: SmallFile | undefined;
}

const RANK: Record<LicenseState['state'], number> = { valid: 2, grace: 1, expired: 0, invalid: 0, none: 0 };

/** Returns the state at `now` of what is remembered. */
export function recall({ kept, problem }: LicenseMemory, now: number): LicenseState {
  if (kept) return { ...licenseState(kept.license.claims, now, kept.removedAt), problem };
  return problem === null ? NO_LICENSE : invalidLicense(problem);
}

/**
 * Returns the memory after a look at the files. A worse token does not displace a better one, and the grace of a token
 * begins when its file goes: an accident with a file does not end an edition. Removing the token's key from the key set
 * does, at once; a missing or broken key set does not.
 */
export async function remember(memory: LicenseMemory, files: LicenseFiles, now: number): Promise<LicenseMemory> {
  const { token, keys } = files;
  const removed = parseRemoval(files.removedAt);
  const still = await trusted(memory.kept, keys);
  if (!token.ok) return { kept: still, problem: `the licence file ${token.problem}` };
  if (!token.text) {
    if (!still) return NOTHING_KEPT;
    const problem = token.text === null ? 'the licence file is gone' : 'the licence file is empty';
    return { kept: { ...still, removedAt: still.removedAt ?? now }, problem };
  }

  if (!keys.ok) return { kept: still, problem: keys.problem };
  if (still?.token === token.text) {
    const { removedAt: _, ...kept } = still;
    return { kept: { ...kept, ...removed.at }, problem: removed.problem };
  }

  const found = await verifyLicense(token.text, keys.value, now);
  if (!found.ok) return { kept: still, problem: found.problem };
  const fresh: Kept = { token: token.text, license: found.value, verifiedAt: now };
  const rank = (kept: Kept | null) => RANK[recall({ kept, problem: null }, now).state];
  if (rank(fresh) >= rank(still)) return { kept: { ...fresh, ...removed.at }, problem: removed.problem };
  return { kept: still, problem: `the new licence expired on ${day(found.value.claims.expiresAt)}` };
}

export function readKeySet(file: SmallFile): Parsed<KeySet> {
  if (!file.ok) return { ok: false, problem: `the key set ${file.problem}` };
  if (file.text === null) return { ok: false, problem: 'the key set is missing' };
  const keySet = parseKeySet(file.text);
  return keySet.ok ? keySet : { ok: false, problem: `the key set is refused: ${keySet.problem}` };
}

/** Returns the kept licence, unless the key set has lost its key. */
async function trusted(kept: Kept | null, keySet: Parsed<KeySet>): Promise<Kept | null> {
  if (!kept || !keySet.ok) return kept;
  // With the time of its first verification: a clock that is set back does not undo it, a changed key does.
  return (await verifyLicense(kept.token, keySet.value, kept.verifiedAt)).ok ? kept : null;
}

/** Parses the time of removal; a file that cannot be read removes nothing. */
function parseRemoval(file: SmallFile | undefined): { at?: { removedAt: number }; problem: string | null } {
  if (!file || (file.ok && !file.text)) return { problem: null };
  const removedAt = file.ok ? Date.parse(file.text ?? '') : Number.NaN;
  if (!Number.isNaN(removedAt)) return { at: { removedAt }, problem: null };
  return { problem: `the file removed-at ${file.ok ? 'contains no time' : file.problem}` };
}

function day(time: number): string {
  return iso(time).slice(0, 10);
}
