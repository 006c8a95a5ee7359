import type { EmbedUser } from '../../../src/common/generated/wire.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { SessionRecord } from './model.ts';
import type { EditorSample, EditorView, Presence } from './ports.ts';

type Known = Pick<SessionRecord, 'sessionId' | 'docId' | 'user'>;

export interface PresenceDependencies {
  /** Those of the sessions that exist, deleted and expired ones too. */
  findSessions: (sessionIds: readonly string[]) => Promise<readonly Known[]>;
  /** Called with each sample once it is matched to the sessions; it is waited for, and does not reject. */
  onMatched: (sample: EditorSample) => Promise<void>;
  log: Pick<Logger, 'warn'>;
}

/**
 * The users who have each document open: the editor's list, matched to our sessions by document and user id. Views of
 * our documents that belong to no session of ours are ghosts that the editor forgot to remove; they count nowhere.
 * Where the sessions cannot be read, all views are taken as they are.
 */
export function createPresence(deps: PresenceDependencies): Presence & {
  /** Takes in a new sample; resolves when it counts. Samples are taken one after the other. */
  observe(sample: EditorSample): Promise<void>;
} {
  let current: EditorSample | undefined;
  let known = new Map<string, Known>();
  let last: Promise<void> = Promise.resolve();

  async function match(sample: EditorSample): Promise<void> {
    const ids = [...new Set(sample.views.filter(isOurs).map(({ userId }) => userId))];
    let views = sample.views;
    try {
      const missing = ids.filter((id) => !known.has(id));
      const found = missing.length > 0 ? await deps.findSessions(missing) : [];
      const all = new Map([...known, ...found.map((session): [string, Known] => [session.sessionId, session])]);
      known = new Map([...all].filter(([id]) => ids.includes(id)));
      views = views.filter((view) => !isOurs(view) || known.get(view.userId)?.docId === view.docId);
    } catch (error) {
      deps.log.warn({ err: error }, 'views could not be matched to sessions');
    }
    current = { ...sample, views };
    await deps.onMatched(current);
  }

  const getViews = (docId: string): EditorView[] => current?.views.filter((view) => view.docId === docId) ?? [];

  return {
    observe(sample) {
      last = last.then(() => match(sample));
      return last;
    },
    users(docId) {
      const users = getViews(docId)
        .map(({ userId }) => known.get(userId)?.user)
        .filter((user) => user !== undefined);
      return [...new Map(users.map((user): [string, EmbedUser] => [user.id, user])).values()];
    },
    lists: ({ sessionId, docId }) => getViews(docId).some(({ userId }) => userId === sessionId),
    hasViews: (docId) => getViews(docId).length > 0,
    modified: (docId) => current?.modified.has(docId) ?? false,
    sampledAt: () => current?.at ?? null,
  };
}

function isOurs({ docId }: EditorView): boolean {
  return docId !== null;
}
