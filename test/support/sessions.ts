import { randomBytes } from 'node:crypto';
import { signHs256 } from '../../src/common/crypto/jwt.ts';
import type { EmbedSession, EmbedSessionState, GateStatus } from '../../src/common/generated/wire.ts';
import { type EditorClient, type OpenOptions, openEditor } from '../editor/client.ts';
import { secret } from './logs.ts';
import { until } from './until.ts';

/** A portal's request; the rest is as usual. */
export interface Wanted {
  key?: string;
  mode?: 'edit' | 'view';
  user?: { id: string; name: string };
}

/** Requests of portals and browsers to the service, through its front. */
export type Sessions = ReturnType<typeof sessionsAt>;

export interface Portal {
  origin: string;
  documentUrl: string;
  callbackUrl: string;
  jwtSecret: string;
  /** The service's clock. */
  clock?: () => number;
}

/** @param url of the front, without a slash at its end */
export function sessionsAt(url: string, { origin, documentUrl, callbackUrl, jwtSecret, clock = Date.now }: Portal) {
  /** A request through the front. */
  const call = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
  /** A request of a session. */
  const ask = (session: EmbedSession, path = '', init: RequestInit = {}) =>
    call(`/svc/embed/session/${session.session_id}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${session.form.access_token}`, ...init.headers },
    });
  /** An embed configuration as a portal signs it. */
  const token = ({ key = 'contract-1', mode = 'edit', user = { id: 'u1', name: 'An' } }: Wanted = {}) =>
    signHs256(
      {
        document: { url: documentUrl, title: 'Hợp đồng.docx', fileType: 'docx', key },
        editor: { mode, user, callbackUrl },
        exp: Math.floor(clock() / 1000) + 600,
      },
      jwtSecret,
    );
  const state = async (session: EmbedSession): Promise<EmbedSessionState> => readBody(await ask(session), 200);

  return {
    ...{ url, call, token, ask, state },
    /** A session that must come about. */
    async create(wanted?: Wanted): Promise<EmbedSession> {
      const body = JSON.stringify({ token: await token(wanted) });
      const headers = { 'Content-Type': 'application/json', Origin: origin };
      const answer = await call('/svc/embed/session', { method: 'POST', headers, body });
      const session = await readBody<EmbedSession>(answer, 201);
      secret(session.form.access_token);
      return session;
    },
    status: async (): Promise<GateStatus> => readBody(await call('/svc/status'), 200),
    /** Opens a session in the editor. */
    open: (session: EmbedSession, options?: Partial<OpenOptions>): Promise<EditorClient> =>
      openEditor({ server: url, session: { ...session, form: { ...session.form } }, ...options }),
    /** Saves as the browser library does; resolves as its `save()`: with the version that the gate has. */
    async save(session: EmbedSession, client: EditorClient): Promise<number> {
      const nonce = randomBytes(8).toString('hex');
      await client.save({ extendedData: `svc1.${nonce}` });
      return until(`the save ${nonce}`, async () => {
        const { save } = await state(session);
        return save?.nonce === nonce ? save.version : undefined;
      });
    },
  };
}

async function readBody<Body>(response: Response, status: number): Promise<Body> {
  if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}
