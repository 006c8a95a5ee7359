import type { Audit } from '../../../src/common/audit.ts';
import type { SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import { objectNames } from '../desired/names.ts';
import type { SecretKey } from '../desired/secrets.ts';
import { getKey } from '../k8s/api.ts';
import type { EventRecorder } from '../k8s/events.ts';
import { type ConditionType, findCondition } from './conditions.ts';
import type { SvcInstance } from './instances.ts';

/** Conditions whose change of status or reason is reported. */
const REPORTED: readonly ConditionType[] = ['Ready', 'LicenseValid', 'Paused'];
/** True, and yet somebody should do something, as when the licence is about to end. */
const WARNS = /^ExpiresWithin|^AvailableWithRemarks$|^NotUnderstood$/;

/**
 * An event of secrets that are made while the instance runs: those who had the old values will be refused.
 * @param made keys; values are never shown
 * @param lost whether the whole Secret was gone, by accident most likely; a key is deleted to have another value made
 */
export function reportGenerated(
  { events }: { events: Pick<EventRecorder, 'record'> },
  instance: SvcInstance,
  made: readonly SecretKey[],
  lost: boolean,
): void {
  const keys = made.filter((key) => key !== 'digest-key').join(', ');
  if (keys === '') return;
  const secret = `Secret ${objectNames(instance.metadata.name).secrets}`;
  const note = lost
    ? `${secret} was deleted. Generated anew: ${keys}. Distribute the new values, or supply the old ones in spec.secrets.`
    : `${secret} lacked ${keys}: generated anew.`;
  events.record(instance, { type: lost ? 'Warning' : 'Normal', reason: lost ? 'SecretsLost' : 'SecretsMade', note });
}

/**
 * Events and audit trail of what has changed from one status to the next. The status is the memory: what it contains has
 * been reported, perhaps by an earlier controller, so that each warning of a licence's end is sent once.
 */
export function reportChanges(
  { events, audit }: { events: Pick<EventRecorder, 'record'>; audit: Pick<Audit, 'record'> },
  instance: SvcInstance,
  previous: SvcInstanceStatus,
  status: SvcInstanceStatus,
): void {
  for (const type of REPORTED) {
    const before = findCondition(previous.conditions ?? [], type);
    const now = findCondition(status.conditions ?? [], type);
    if (!now || (before?.status === now.status && before.reason === now.reason)) continue;
    // The usual state of a new instance is no news, nor is what nobody has looked at.
    if (!before && (now.reason === 'NotAsked' || now.reason === 'NoLicense' || now.status === 'Unknown')) continue;
    const bad = (now.status === 'False' && now.reason !== 'Progressing' && type !== 'Paused') || WARNS.test(now.reason);
    events.record(instance, { type: bad ? 'Warning' : 'Normal', reason: now.reason, note: now.message });
    if (type === 'LicenseValid') {
      audit.record('license.changed', {
        instance: getKey(instance),
        state: status.license?.state ?? 'None',
        reason: now.reason,
      });
    }
  }
}
