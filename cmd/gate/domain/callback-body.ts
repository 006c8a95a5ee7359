import { randomUUID } from 'node:crypto';
import { iso } from '../../../src/common/clock.ts';
import type { DocumentCallback, EmbedUser } from '../../../src/common/generated/wire.ts';
import type { DeliveryRecord, DocumentRecord, VersionRecord } from './model.ts';

/** Address under which a portal downloads a version, signed. */
export type VersionLink = (document: DocumentRecord, version: number) => string;

export type NewDelivery = Omit<DeliveryRecord, 'id'>;

/**
 * The callback `document.saved` of a version (contract: Save callback body); undefined where nobody asked for any.
 * @param users people who have the document open
 */
export function savedDelivery(
  document: DocumentRecord,
  version: VersionRecord,
  told: { users: EmbedUser[]; link: VersionLink; now: number },
): NewDelivery | undefined {
  return delivery(document, 'document.saved', told.now, {
    status: 'saved',
    ...describe(document, version, told.link),
    users: told.users,
    savedBy: version.savedBy,
    autosave: version.autosave,
    final: version.final,
    modifiedByUser: version.modifiedByUser,
    timestamp: iso(told.now),
  });
}

/** The callback `document.closed`. It reports no save, so `savedBy` is null. */
export function closedDelivery(
  document: DocumentRecord,
  version: VersionRecord,
  told: { link: VersionLink; now: number },
): NewDelivery | undefined {
  return delivery(document, 'document.closed', told.now, {
    status: 'closed',
    ...describe(document, version, told.link),
    users: [],
    savedBy: null,
    autosave: false,
    final: false,
    modifiedByUser: false,
    timestamp: iso(told.now),
  });
}

/**
 * A callback as it goes out for the first time at `now`: its send time is then (contract: Save callback body). Further
 * attempts repeat that body, so that a receiver knows an event again by what is under the signature.
 */
export function firstSent(delivery: DeliveryRecord, now: number): DeliveryRecord {
  const body = JSON.parse(delivery.body) as DocumentCallback;
  return { ...delivery, body: JSON.stringify({ ...body, timestamp: iso(now) }) };
}

function describe(document: DocumentRecord, version: VersionRecord, link: VersionLink) {
  return {
    key: document.key,
    version: version.version,
    url: version.version === 0 ? null : link(document, version.version),
    fileType: document.fileType,
    title: document.title,
    size: version.size,
    sha256: version.sha256,
  };
}

function delivery(
  document: DocumentRecord,
  event: DeliveryRecord['event'],
  now: number,
  body: DocumentCallback,
): NewDelivery | undefined {
  if (document.callbackUrl === null) return undefined;
  return {
    delivery: randomUUID(),
    docId: document.docId,
    key: document.key,
    event,
    version: body.version,
    url: document.callbackUrl,
    body: JSON.stringify(body),
    state: 'pending',
    attempts: 0,
    nextAttemptAt: now,
    lastStatus: null,
    endedAt: null,
  };
}
