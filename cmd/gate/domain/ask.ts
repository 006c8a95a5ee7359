import type { Common } from './common.ts';
import type { Places } from './places.ts';
import type { OpenSession, OpenSessions } from './ports.ts';
import { type Opening, parseRawUri } from './raw-uri.ts';
import { hashToken } from './session-token.ts';
import type { ReadWopiSrc } from './wopi-src.ts';

/** The reason for a refusal; undefined admits the request. */
export type Decision = 'unreadable' | 'unknown_session' | 'foreign_host' | 'connection_limit_reached' | undefined;

/** Decides about a request line as the client sent it. The stage is `page` or `ws`. */
export type Ask = (question: { uri: string; stage: string }) => Promise<Decision>;

interface Dependencies extends Pick<Common, 'clock' | 'log' | 'audit'> {
  openSessions: OpenSessions;
  places: Pick<Places, 'use'>;
  readWopiSrc: ReadWopiSrc;
  /** Documents of other WOPI hosts may be opened. */
  foreignHosts: boolean;
  /** Called with each WebSocket of a document of ours that is admitted. */
  onOpened: () => void;
}

/**
 * Decides whether an editing session may open (contract: `POST /svc/auth`). A WebSocket of ours needs the token of a
 * session and, to edit, a place; one to another WOPI host needs a place unless the editor enforces reading. A page
 * request has no token in its URI: it is refused only where nobody could get a place. An error of our own admits.
 */
export function createAsk(deps: Dependencies): Ask {
  const { readWopiSrc, openSessions, foreignHosts, log, audit } = deps;

  async function findSession({ docId, token }: Opening): Promise<OpenSession | undefined> {
    if (docId === null || token === null) return undefined;
    const session = await openSessions.byToken(hashToken(token));
    return session?.docId === docId ? session : undefined;
  }

  async function decide(opening: Opening, session: OpenSession | undefined, stage: string): Promise<Decision> {
    if (opening.docId === null && !foreignHosts) return 'foreign_host';
    return stage === 'page' ? atPage(opening, deps) : atSocket(opening, session, deps);
  }

  return async ({ uri, stage }) => {
    const opening = parseRawUri(uri, stage, readWopiSrc);
    try {
      const session = opening && (await findSession(opening));
      const refusal = opening ? await decide(opening, session, stage) : 'unreadable';
      if (refusal === undefined) return undefined;
      log.info({ stage, reason: refusal }, 'not let in');
      audit.record('connection.refused', {
        reason: refusal,
        ...(opening?.docId && { document: opening.docId }),
        ...(session && { session: session.sessionId }),
      });
      return refusal;
    } catch (error) {
      // A proxy takes a 403 as final, and would let this one in if we had died of it.
      log.error({ err: error, stage, doc_id: opening?.docId }, 'editor let in: the admission check failed');
      return undefined;
    }
  };
}

async function atSocket(
  { docId, token, permission, wopiSrc }: Opening,
  session: OpenSession | undefined,
  { places, onOpened, clock }: Dependencies,
): Promise<Decision> {
  if (docId === null) {
    // The editor enforces this permission.
    if (permission === 'readonly') return undefined;
    const tokenHash = hashToken(token ?? '');
    return limited(await places.use((counting) => counting.admitForeign({ wopiSrc, tokenHash }).admitted));
  }
  if (!session || session.expiresAt <= clock()) return 'unknown_session';
  const mayEnter =
    session.mode === 'view' || (await places.use((counting) => counting.admitSocket(session.sessionId).admitted));
  if (mayEnter) onOpened();
  return limited(mayEnter);
}

async function atPage({ docId, permission, wopiSrc }: Opening, deps: Dependencies): Promise<Decision> {
  const { places, openSessions, clock } = deps;
  if (permission === 'readonly' || !(await places.use((counting) => counting.isFull()))) return undefined;
  if (docId === null) return limited(await places.use((counting) => counting.hasForeign(wopiSrc)));
  const sessions = (await openSessions.byDocument(docId)).filter(({ expiresAt }) => expiresAt > clock());
  // Without any session the editor says that it is over, which is more helpful than to say that all places are taken.
  if (sessions.length === 0 || sessions.some(({ mode }) => mode === 'view')) return undefined;
  return limited(await places.use((counting) => sessions.some(({ sessionId }) => counting.hasPlace(sessionId))));
}

function limited(admitted: boolean): Decision {
  return admitted ? undefined : 'connection_limit_reached';
}
