import { randomUUID } from 'node:crypto';
import { iso } from '../../../src/common/clock.ts';
import type { DocumentCallback, EmbedUser } from '../../../src/common/generated/wire.ts';
import type { Links } from './links.ts';
import type { DeliveryRecord, DocumentRecord, NewDelivery, VersionRecord } from './model.ts';
import type { Presence } from './ports.ts';

/** Address under which a portal downloads a version, signed. */
export type VersionLink = (document: DocumentRecord, version: number) => string;

/**
 * The callback `document.saved` of a version (contract: Save callback body); undefined where nobody asked for any.
 * @param options.users people who have the document open
 */
export function savedDelivery(
  document: DocumentRecord,
  version: VersionRecord,
  options: { users: EmbedUser[]; link: VersionLink; now: number },
): NewDelivery | undefined {
  return delivery(document, 'document.saved', options.now, {
    status: 'saved',
    ...describe(document, version, options.link),
    users: options.users,
    savedBy: version.savedBy,
    autosave: version.autosave,
    final: version.final,
    modifiedByUser: version.modifiedByUser,
    timestamp: iso(options.now),
  });
}

/** The callback `document.closed`. It reports no save, so `savedBy` is null. */
export function closedDelivery(
  document: DocumentRecord,
  version: VersionRecord,
  options: { link: VersionLink; now: number },
): NewDelivery | undefined {
  return delivery(document, 'document.closed', options.now, {
    status: 'closed',
    ...describe(document, version, options.link),
    users: [],
    savedBy: null,
    autosave: false,
    final: false,
    modifiedByUser: false,
    timestamp: iso(options.now),
  });
}

/** The parts that know what may have changed since a callback was made. */
export interface Sending {
  links: Pick<Links, 'renew'>;
  presence: Pick<Presence, 'users' | 'sampledAt'>;
}

/**
 * A callback as it goes out at `now`: with its send time, who has the document open then, and a link that holds for the
 * whole time from then on (contract: Save callback body). A receiver knows a further attempt by the delivery's id.
 */
export function sentAt(delivery: DeliveryRecord, now: number, { links, presence }: Sending): DeliveryRecord {
  const body = JSON.parse(delivery.body) as DocumentCallback;
  const { url } = body;
  // Only a sample from after the save, or the last attempt, knows better. A final save and a closing are of nobody.
  const isSeen = (presence.sampledAt() ?? 0) > Date.parse(body.timestamp);
  const isOpen = body.status === 'saved' && !body.final;
  const users = isOpen && isSeen ? presence.users(delivery.docId) : body.users;
  const sent = { ...body, url: url && links.renew(url), users, timestamp: iso(now) };
  return { ...delivery, body: JSON.stringify(sent) };
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
