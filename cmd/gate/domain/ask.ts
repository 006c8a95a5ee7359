import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Places } from './places.ts';
import type { OpenSession, OpenSessions } from './ports.ts';
import { type Opening, parseRawUri, type Stage } from './raw-uri.ts';
import { hashToken } from './session-token.ts';
import type { ReadWopiSrc } from './wopi-src.ts';

/** The proxy's question, with the client's own request line, untouched. */
export interface Question {
  uri: string;
  stage: string;
}

/** Why somebody is not let in. */
export type Refusal = 'unreadable' | 'unknown_session' | 'foreign_host' | 'connection_limit_reached';

/** Undefined: they are let in. */
export type Decision = Refusal | undefined;

export type Ask = (question: Question) => Promise<Decision>;

export interface AskDependencies {
  openSessions: OpenSessions;
  places: Pick<Places, 'use'>;
  readWopiSrc: ReadWopiSrc;
  /** Documents of other WOPI hosts may be opened. */
  foreignHosts: boolean;
  /** Called with each WebSocket of a document of ours that is admitted. */
  onOpened: () => void;
  clock: Clock;
  log: Pick<Logger, 'info' | 'error'>;
  audit: Audit;
}

/**
 * Decides whether an editing session may open (contract: `POST /svc/auth`). At the WebSocket, a session of ours needs
 * its token, and one that edits a place; a connection to another WOPI host needs a place unless the editor itself keeps
 * it from writing; where such hosts are shut out, none is let in. At the page the token is not to be seen, so only who
 * could not get a place is stopped early. A question that cannot be read is refused; an error of our own admits the
 * request, and is logged.
 */
export function createAsk(deps: AskDependencies): Ask {
  const { readWopiSrc, openSessions, foreignHosts, log, audit } = deps;

  function decide(
    opening: Opening | undefined,
    session: OpenSession | undefined,
    stage: string,
  ): Decision | Promise<Decision> {
    if (!opening) return 'unreadable';
    if (opening.docId === null && !foreignHosts) return 'foreign_host';
    return stage === 'page' ? atPage(opening, deps) : atSocket(opening, session, deps);
  }

  async function findSession({ docId, token }: Opening): Promise<OpenSession | undefined> {
    if (docId === null || token === null) return undefined;
    const session = await openSessions.byToken(hashToken(token));
    return session?.docId === docId ? session : undefined;
  }

  return async ({ uri, stage }) => {
    const opening = isStage(stage) ? parseRawUri(uri, stage, readWopiSrc) : undefined;
    try {
      const session = opening && (await findSession(opening));
      const refusal = await decide(opening, session, stage);
      if (refusal === undefined) return undefined;
      log.info({ stage: isStage(stage) ? stage : null, reason: refusal }, 'not let in');
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
  { places, onOpened, clock }: AskDependencies,
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
  const refusal = limited(mayEnter);
  if (refusal === undefined) onOpened();
  return refusal;
}

async function atPage({ docId, permission, wopiSrc }: Opening, deps: AskDependencies): Promise<Decision> {
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

function isStage(text: string): text is Stage {
  return text === 'page' || text === 'ws';
}
