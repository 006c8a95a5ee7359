import { iso } from '../../../src/common/clock.ts';
import { parseKeySet } from '../../../src/common/crypto/key-set.ts';
import {
  LICENSE_GRACE_DAYS,
  type LicenseState,
  NO_LICENSE,
  startOfLicense,
} from '../../../src/common/crypto/license.ts';
import { readSmallFile, type SmallFile } from '../../../src/common/fs/read-small.ts';
import { NOTHING_KEPT, readKeySet, recall, remember } from '../../../src/common/license-file.ts';
import type { Logger } from '../../../src/common/log.ts';
import { FILE_LOOK_MS, repeat } from '../../../src/common/repeat.ts';
import type { Situation } from '../desired/types.ts';

const DAY_MS = 86_400_000;
/** The end of the year 9999, epoch milliseconds. */
const END_OF_TIME = 253_402_300_799_000;
/** Milliseconds until a token that was given too early is looked at again: the clock may be corrected meanwhile. */
const EARLY_MS = { least: 5_000, most: 600_000 };
/** Days before the end of a licence at which a warning is given. */
const WARN_DAYS = [1, 7, 30] as const;

/** The outcome of reading the Secret that `spec.license` names. */
export type GivenLicense =
  | { found: 'nothing-asked' }
  | { found: 'no-secret'; secretName: string }
  | { found: 'no-key'; secretName: string; key: string }
  | { found: 'token'; secretName: string; token: string };

export interface LicenseDecision {
  license: LicenseState;
  /** Content for the Secret `<instance>-license`. */
  files: Situation['licenseFiles'];
  /** The condition `LicenseValid`. */
  condition: { status: 'True' | 'False'; reason: string; message: string };
  /** Epoch milliseconds at which time alone changes it. */
  nextChange?: number;
}

export interface LicenseQuestion {
  /** Content of the Secret `<instance>-license`: what was in force until now. */
  kept: Situation['licenseFiles'];
  given: GivenLicense;
  /** JWK Set. */
  keys: string;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Decides which licence is in force: the given one, unless it is unusable and a better one was in force before (`remember`). A removed
 * one has 30 days of grace. The memory is the Secret `<instance>-license`.
 */
export async function decideLicense({ kept, given, keys, now }: LicenseQuestion): Promise<LicenseDecision> {
  const keySet = readKeySet({ ok: true, text: keys });
  const before = await remember(
    NOTHING_KEPT,
    { token: text(kept.token), keys: keySet, removedAt: text(kept.removedAt) },
    // It was verified when it was put there, whatever the clock says now.
    Math.max(now, END_OF_TIME),
  );
  const token = given.found === 'token' ? given.token : undefined;
  const after = await remember({ ...before, problem: null }, { token: text(token), keys: keySet }, now);
  const license = recall(after, now);
  // Another controller's clock may have been ahead.
  const counts = license.state === 'grace' || license.state === 'valid';
  const waiting = !counts && before.problem !== null && toReason(before.problem) === 'KeyUnknown';
  if (given.found === 'nothing-asked' && !counts) {
    if (waiting) return waitForKey(kept, now);
    if (keySet.ok || kept.token === undefined) return { license: NO_LICENSE, files: {}, condition: COMMUNITY };
    return { license: NO_LICENSE, files: kept, condition: KEYS_UNUSABLE };
  }
  const removedAt = after.kept?.removedAt;
  let files: Situation['licenseFiles'] = {
    ...(after.kept && { token: after.kept.token }),
    ...(removedAt !== undefined && { removedAt: iso(removedAt) }),
  };
  if (!keySet.ok) files = kept;
  // It counts again, or the rest of its grace does, when its key is back.
  else if (waiting) files = token === undefined ? { ...kept, removedAt: iso(removalTime(kept, now)) } : kept;
  const isRefused = token !== undefined && keySet.ok && after.problem !== null;
  const start = isRefused ? await startOfLicense(token, keySet.value) : undefined;
  const nextChange = nextLicenseChange(license, { removedAt, start, now });
  return {
    license,
    files,
    condition: licenseCondition(license, given, removedAt, now),
    ...(nextChange !== undefined && { nextChange }),
  };
}

/** The licence was removed, and its key is not in the set: the rest of its grace begins when the key is back. */
function waitForKey(kept: Situation['licenseFiles'], now: number): LicenseDecision {
  const since = removalTime(kept, now);
  const end = since + LICENSE_GRACE_DAYS * DAY_MS;
  if (now >= end) return { license: NO_LICENSE, files: {}, condition: COMMUNITY };
  const message =
    `The licence was removed on ${iso(since)}, and the key set no longer has its key. The edition is Community: ` +
    'correct license.keys of the chart if the licence is to have its days of grace.';
  const condition = { status: 'False', reason: 'KeyUnknown', message } as const;
  return { license: NO_LICENSE, files: { ...kept, removedAt: iso(since) }, condition, nextChange: end };
}

/** Epoch milliseconds of a licence's removal: now, unless it is known. */
function removalTime({ removedAt = '' }: Situation['licenseFiles'], now: number): number {
  const time = Date.parse(removedAt);
  return Number.isNaN(time) ? now : time;
}

const COMMUNITY: LicenseDecision['condition'] = {
  status: 'True',
  reason: 'NoLicense',
  message: 'The edition is Community: spec.license is not set.',
};

/** A removed licence may have days of grace, but cannot be verified. */
const KEYS_UNUSABLE: LicenseDecision['condition'] = {
  status: 'False',
  reason: 'KeySetUnusable',
  message:
    'The licence was removed, and its days of grace cannot be verified, because the key set is refused. The edition is Community: correct license.keys of the chart.',
};

function licenseCondition(
  license: LicenseState,
  given: GivenLicense,
  removedAt: number | undefined,
  now: number,
): LicenseDecision['condition'] {
  const counts = countsStill(license);
  const no = (reason: string, message: string) => ({
    status: 'False' as const,
    reason,
    message: `${message} ${counts}`,
  });
  if (given.found === 'no-secret') {
    return no('SecretNotFound', `There is no Secret ${given.secretName}: create it, or remove spec.license.`);
  }
  if (given.found === 'no-key') {
    const { secretName, key } = given;
    return no(
      'KeyNotFound',
      `Secret ${secretName} has nothing under the key ${key}: add it, or name another in spec.license.key.`,
    );
  }
  if (given.found === 'nothing-asked') return no('Removed', `The licence was removed on ${iso(removedAt ?? now)}.`);
  if (license.problem !== null) return no(toReason(license.problem), `${sentence(license.problem)}.`);
  const { claims, state } = license;
  if (!claims) return no('TokenRejected', 'The licence cannot be used.');
  const until = iso(claims.expiresAt);
  if (state !== 'valid')
    return no(state === 'grace' ? 'InGrace' : 'Expired', `The licence expired on ${until}: renew it.`);
  const days = WARN_DAYS.find((limit) => claims.expiresAt - now <= limit * DAY_MS);
  return {
    status: 'True',
    reason: days === undefined ? 'Valid' : days === 1 ? 'ExpiresWithin1Day' : `ExpiresWithin${days}Days`,
    message: `${claims.conns} connections for ${claims.sub} until ${until}.`,
  };
}

/** Says which licence or edition is in effect all the same. */
function countsStill({ state, claims, graceDaysLeft }: LicenseState): string {
  if (state === 'valid') return `The previous licence stays in effect until ${iso(claims?.expiresAt ?? 0)}.`;
  if (state === 'grace') return `The licence stays in effect for ${graceDaysLeft} days; then the edition is Community.`;
  return 'The edition is Community.';
}

function toReason(problem: string): string {
  if (problem.includes('names no key')) return 'KeyUnknown';
  if (problem.includes('key set')) return 'KeySetUnusable';
  return problem.includes('expired on') ? 'TokenExpired' : 'TokenRejected';
}

/** @param times of the removal, and of the start of a token that was given too early */
function nextLicenseChange(
  { claims, state, graceDaysLeft }: LicenseState,
  { removedAt, start, now }: { removedAt: number | undefined; start: number | undefined; now: number },
): number | undefined {
  const times: number[] = [];
  if (start !== undefined && start > now) {
    times.push(now + Math.min(Math.max(start - now, EARLY_MS.least), EARLY_MS.most));
  }
  const end = Math.min(claims?.expiresAt ?? Number.NaN, removedAt ?? Number.POSITIVE_INFINITY);
  if (state === 'grace') times.push(end + (LICENSE_GRACE_DAYS - (graceDaysLeft ?? 0) + 1) * DAY_MS);
  if (state === 'valid') times.push(end, ...WARN_DAYS.map((days) => end - days * DAY_MS));
  const next = Math.min(...times.filter((time) => time > now));
  return Number.isFinite(next) ? next : undefined;
}

function text(value: string | undefined): SmallFile {
  return { ok: true, text: value?.trim() ?? null };
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const NO_KEYS = '{"keys":[]}';

export interface LicenseKeys {
  /** A JWK Set, the last good one. */
  current(): string;
  stop(): void;
}

/**
 * Reads the key set and keeps it up to date. A broken or missing file changes nothing; a set without keys ends all licences.
 * @param path absent: there are no keys, and every licence is refused
 * @throws {Error} when the first set is unusable
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
