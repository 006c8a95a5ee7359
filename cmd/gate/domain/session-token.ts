import { hash, randomBytes } from 'node:crypto';
import { equalStrings } from '../../../src/common/crypto/equal.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { SessionRecord } from './model.ts';
import type { RowsReader } from './ports.ts';

const SESSION_ID = /^ses_[0-9a-f]{24}$/;

/** `ses_` + 24 hex (contract: Identifiers). */
export function newSessionId(): string {
  return `ses_${randomBytes(12).toString('hex')}`;
}

/** A session's access token: 256 random bits, good in URLs and headers. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the hash of a token, which is all that is kept of it. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Finds a session and checks its token. @throws {AppError} `not_found`, `invalid_session_token` */
export async function getSession(tx: RowsReader, sessionId: string, token: string | undefined): Promise<SessionRecord> {
  const session = SESSION_ID.test(sessionId) ? await tx.session(sessionId) : undefined;
  if (!session) throw new AppError('not_found');
  if (token === undefined || !equalStrings(hashToken(token), session.tokenHash)) throw refused();
  return session;
}

export type SessionState = 'active' | 'closed' | 'expired';

/** A session's state at `now` (design: session states). */
export function getState({ closedAt, expiresAt }: SessionRecord, now: number): SessionState {
  if (closedAt !== null) return 'closed';
  return expiresAt <= now ? 'expired' : 'active';
}

/** @throws {AppError} `invalid_session_token` with the state as its reason, unless it is active */
export function assertActive(session: SessionRecord, now: number): void {
  const state = getState(session, now);
  if (state !== 'active') throw refused({ reason: state });
}

function refused(detail = {}): AppError {
  return new AppError('invalid_session_token', detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
