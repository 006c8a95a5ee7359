import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type {
  DocumentRecord,
  NewDelivery,
  SessionRecord,
  UploadRecord,
  VersionRecord,
} from '../../cmd/gate/domain/model.ts';
import type { Blobs, Incoming } from '../../cmd/gate/domain/ports.ts';
import type { Uploaded } from '../../cmd/gate/domain/uploads.ts';

/** Records of the gate for tests: whole ones, of which a test says what matters to it. */

/** Returns a name that nothing has. */
export function randomBlob(): string {
  return randomBytes(16).toString('hex');
}

export function documentRecord(changes: Partial<DocumentRecord> = {}): DocumentRecord {
  return {
    docId: 'doc_a',
    key: 'key-a',
    fileType: 'docx',
    title: 'Báo cáo "quý 1".docx',
    state: 'open',
    version: 0,
    createdAt: 1_000,
    lastViewAt: 1_000,
    closedAt: null,
    callbackUrl: null,
    baseUrl: 'https://office.example.vn',
    ...changes,
  };
}

export function versionRecord(changes: Partial<VersionRecord> = {}): VersionRecord {
  return {
    docId: 'doc_a',
    version: 0,
    blob: 'a'.repeat(32),
    sha256: 'a'.repeat(64),
    size: 10,
    savedAt: 1_000,
    savedBy: null,
    autosave: false,
    final: false,
    modifiedByUser: false,
    nonce: null,
    ...changes,
  };
}

export function uploadRecord(changes: Partial<UploadRecord> = {}): UploadRecord {
  return { blob: randomBlob(), docId: 'doc_a', gate: 'one', state: 'under_way', seenAt: 1_000, ...changes };
}

export function sessionRecord(changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    sessionId: 'ses_a',
    docId: 'doc_a',
    mode: 'edit',
    requestedMode: 'edit',
    readOnly: false,
    hasEdited: true,
    tokenHash: 'f'.repeat(64),
    user: { id: 'u1', name: "Nguyễn Thị O'Hara" },
    lang: 'vi',
    ui: {},
    origin: 'https://portal.example.vn',
    createdAt: 1_000,
    expiresAt: 9_000,
    closedAt: null,
    ...changes,
  };
}

export function deliveryRecord(changes: Partial<NewDelivery> = {}): NewDelivery {
  return {
    delivery: randomUUID(),
    docId: 'doc_a',
    key: 'key-a',
    event: 'document.saved',
    version: 1,
    url: 'https://portal.example.vn/callback',
    body: '{"event":"document.saved"}',
    state: 'pending',
    attempts: 0,
    nextAttemptAt: 1_000,
    lastStatus: null,
    endedAt: null,
    ...changes,
  };
}

/** Receives content and puts it in its place. */
export async function bringTo(
  { incoming, blobs }: { incoming: Incoming; blobs: Blobs },
  content: string | Buffer | Readable,
  maxBytes = 2 ** 30,
): Promise<Uploaded> {
  const source = content instanceof Readable ? content : Readable.from([Buffer.from(content)]);
  const file = await incoming.receive(source, { maxBytes });
  const blob = randomBlob();
  await blobs.put(file, blob);
  return { blob, sha256: file.sha256, size: file.size };
}
