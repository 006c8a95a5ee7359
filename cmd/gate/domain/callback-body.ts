import { randomUUID } from 'node:crypto';
import { iso } from '../../../src/common/clock.ts';
import type { DocumentCallback, EmbedUser } from '../../../src/common/generated/wire.ts';
import type { Links } from './links.ts';
import type { DeliveryRecord, DocumentRecord, NewDelivery, VersionRecord } from './model.ts';
import type { Presence } from './presence.ts';

/**
 * Makes the callback of a saved version or a closed document (contract: Save callback body); undefined without a
 * callback URL.
 * @param options.users people who have the document open
 */
export function createDelivery(
  status: DocumentCallback['status'],
  document: DocumentRecord,
  version: VersionRecord,
  { users, links, now }: { users: EmbedUser[]; links: Pick<Links, 'sign'>; now: number },
): NewDelivery | undefined {
  const { docId, key, callbackUrl, baseUrl, fileType, title } = document;
  if (callbackUrl === null) return undefined;
  const isSave = status === 'saved';
  const body: DocumentCallback = {
    status,
    key,
    version: version.version,
    url: version.version === 0 ? null : links.sign(baseUrl, docId, version.version),
    fileType,
    title,
    size: version.size,
    sha256: version.sha256,
    users,
    savedBy: isSave ? version.savedBy : null,
    autosave: isSave && version.autosave,
    final: isSave && version.final,
    modifiedByUser: isSave && version.modifiedByUser,
    timestamp: iso(now),
  };
  return {
    delivery: randomUUID(),
    docId,
    key,
    event: `document.${status}`,
    version: version.version,
    url: callbackUrl,
    body: JSON.stringify(body),
    state: 'pending',
    attempts: 0,
    nextAttemptAt: now,
    lastStatus: null,
    endedAt: null,
  };
}

export interface Sending {
  links: Pick<Links, 'renew'>;
  presence: Pick<Presence, 'users' | 'sampledAt'>;
}

/**
 * Returns a callback as it is sent at `now`: with this time, the current users and a link that is valid from now on.
 */
export function sentAt(delivery: DeliveryRecord, now: number, { links, presence }: Sending): DeliveryRecord {
  const body = JSON.parse(delivery.body) as DocumentCallback;
  const { url, version } = body;
  // Only a sample from after the save, or the last attempt, knows better. A final save and a closing are of nobody.
  const isSeen = (presence.sampledAt() ?? 0) > Date.parse(body.timestamp);
  const isOpen = body.status === 'saved' && !body.final;
  const users = isOpen && isSeen ? presence.users(delivery.docId) : body.users;
  const sent = { ...body, url: url && links.renew(url, delivery.docId, version), users, timestamp: iso(now) };
  return { ...delivery, body: JSON.stringify(sent) };
}
