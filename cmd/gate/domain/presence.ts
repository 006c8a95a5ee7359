import { inBatches } from '../../../src/common/batches.ts';
import { apart } from '../../../src/common/clock.ts';
import type { EmbedUser } from '../../../src/common/generated/wire.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { SessionRecord } from './model.ts';
import type { EditorSample, EditorView, Rows } from './ports.ts';

/** The time without a view after which nobody comes back by it, and its last save has come. */
const LEFT_MS = 15 * 60_000;
/** The time between two samples in which a view may have come and gone. */
const GAP_MS = 60_000;
/** The sessions that one query reads: at its first sample, a gate knows none of thousands. */
const BATCH = 500;

export type Presence = ReturnType<typeof createPresence>;

/**
 * The users of each document: the editor’s views, matched to sessions by document and user id. A view of our documents
 * without a session is a ghost that the editor forgot, and is left out; while sessions cannot be read, all views are
 * taken.
 */
export function createPresence({ rows, log }: { rows: Pick<Rows, 'read'>; log: Pick<Logger, 'warn'> }) {
  let current: EditorSample | undefined;
  let known = new Map<string, SessionRecord>();
  /** By user ids, the last sample that listed them; those that left are forgotten. */
  const listedAt = new Map<string, number>();
  let watchedSince = Number.POSITIVE_INFINITY;

  /** Reads the sessions of views, those that are known from the sample before excepted. */
  async function readSessions(ids: ReadonlySet<string>): Promise<void> {
    const missing = [...ids].filter((id) => !known.has(id));
    const all = new Map(known);
    if (missing.length > 0)
      await rows.read(async (tx) => {
        for (const batch of inBatches(missing, BATCH))
          for (const session of await tx.sessionsById(batch)) all.set(session.sessionId, session);
      });
    known = new Map([...all].filter(([id]) => ids.has(id)));
  }

  function noteListed({ at, views }: EditorSample): void {
    if (!current || apart(at, current.at) > GAP_MS) {
      watchedSince = at;
      listedAt.clear();
    }
    for (const { userId } of views) listedAt.set(userId, at);
    for (const [userId, time] of listedAt) if (at - time >= LEFT_MS) listedAt.delete(userId);
  }

  const getViews = (docId: string): EditorView[] => current?.views.filter((view) => view.docId === docId) ?? [];

  return {
    /** Takes in a new sample, one after the other. Returns it without ghosts. */
    async observe(sample: EditorSample): Promise<EditorSample> {
      noteListed(sample);
      let { views } = sample;
      try {
        await readSessions(new Set(views.flatMap(({ docId, userId }) => (docId === null ? [] : [userId]))));
        views = views.filter(({ docId, userId }) => docId === null || known.get(userId)?.docId === docId);
      } catch (error) {
        log.warn({ err: error }, 'views could not be matched to sessions');
      }
      current = { ...sample, views };
      return current;
    },
    /** Returns the people with a view of the document, each once. */
    users(docId: string): EmbedUser[] {
      const users = getViews(docId)
        .map(({ userId }) => known.get(userId)?.user)
        .filter((user) => user !== undefined);
      return [...new Map(users.map((user): [string, EmbedUser] => [user.id, user])).values()];
    },
    /** Returns whether a session had a view of its document in the last good sample. */
    lists: ({ sessionId, docId }: Pick<SessionRecord, 'sessionId' | 'docId'>): boolean =>
      getViews(docId).some(({ userId }) => userId === sessionId),
    /** Returns whether all samples of a quarter of an hour were without a view of a session. */
    hasLeft: (sessionId: string): boolean => (current?.at ?? 0) - watchedSince >= LEFT_MS && !listedAt.has(sessionId),
    hasViews: (docId: string): boolean => getViews(docId).length > 0,
    /** Returns whether the editor says that it has changes that are not saved. */
    modified: (docId: string): boolean => current?.modified.includes(docId) ?? false,
    /** Returns the time of the last good sample, epoch milliseconds; null before the first. */
    sampledAt: (): number | null => current?.at ?? null,
  };
}
