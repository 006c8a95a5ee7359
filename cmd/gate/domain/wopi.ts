import { iso } from '../../../src/common/clock.ts';
import { truncate } from '../../../src/common/truncate.ts';
import { type DocumentRecord, GUEST, type SessionRecord, type VersionRecord } from './model.ts';
import { viewFlags } from './ui.ts';

/** No user has this id: the editor credits its own saves to the owner. */
const OWNER_ID = 'svc';

/** The abilities that no session of this host has, whatever its portal says. */
const FIXED = {
  SupportsUpdate: true,
  SupportsLocks: false,
  SupportsRename: false,
  UserCanRename: false,
  UserCanNotWriteRelative: true,
  UserCanOnlyComment: false,
  UserCanOnlyManageRedlines: false,
  EnableOwnerTermination: false,
  EnableShare: false,
  EnableInsertRemoteImage: false,
  EnableInsertRemoteFile: false,
  EnableRemoteLinkPicker: false,
  EnableRemoteAIContent: false,
  DownloadAsPostMessage: false,
  IsAdminUser: false,
} as const;

/** Returns the answer to CheckFileInfo. Only `UserCanWrite` makes the editor enforce a view. */
export function checkFileInfo(session: SessionRecord, document: DocumentRecord, version: VersionRecord) {
  const canWrite = session.mode === 'edit';
  return {
    ...viewFlags(session.ui),
    ...FIXED,
    BaseFileName: baseFileName(document),
    BreadcrumbDocName: document.title,
    OwnerId: OWNER_ID,
    Size: version.size,
    Version: String(version.version),
    LastModifiedTime: toTimestamp(version),
    UserId: session.sessionId,
    UserFriendlyName: friendlyName(session),
    UserCanWrite: canWrite,
    ReadOnly: !canWrite,
    HideSaveOption: !canWrite,
    ...(session.origin !== null && { PostMessageOrigin: session.origin }),
  };
}

/** The version as the editor knows it: given to it as LastModifiedTime, given back with a save, compared as text. */
export function toTimestamp(version: Pick<VersionRecord, 'savedAt'>): string {
  return iso(version.savedAt);
}

/** When a version counts as saved, so that each has a stamp of its own, later than the one before it. */
export function savedAfter(previous: Pick<VersionRecord, 'savedAt'>, now: number): number {
  return Math.max(now, previous.savedAt + 1);
}

/** UTF-8 bytes of a file's name: file systems take 255 with its extension and what the editor puts behind it. */
const STEM_BYTES = 180;

/** The title as a file name: with its extension and without what no file name has. The editor refuses a slash. */
export function baseFileName({ title, fileType, key }: Pick<DocumentRecord, 'title' | 'fileType' | 'key'>): string {
  const clean = title
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .trim();
  const extension = `.${fileType}`;
  const whole = clean.toLowerCase().endsWith(extension) ? clean.slice(0, -extension.length) : clean;
  const stem = truncate(whole, STEM_BYTES);
  return `${/[^.\s]/.test(stem) ? stem : key}${extension}`;
}

/** The editor writes names into its admin list without escaping them: one quote would break the whole list. */
function friendlyName({ user }: SessionRecord): string {
  const clean = user.name
    .toWellFormed()
    .replace(/[\p{Cc}"\\]/gu, '')
    .trim();
  return clean === '' ? GUEST : clean;
}

/** The mark of a save that the browser library asked for: `svc1.<nonce>` in X-COOL-WOPI-ExtendedData. */
export function parseNonce(extendedData: string | undefined): string | null {
  return /^svc1\.([A-Za-z0-9_-]{1,64})$/.exec(extendedData ?? '')?.[1] ?? null;
}
