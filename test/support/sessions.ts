import { randomBytes } from 'node:crypto';
import { signHs256 } from '../../src/common/crypto/jwt.ts';
import type { EmbedSession, EmbedSessionState, GateStatus } from '../../src/common/generated/wire.ts';
import { type EditorClient, type OpenOptions, openEditor } from '../editor/client.ts';
import { secret } from './logs.ts';
import { until } from './until.ts';

/** What a portal asks for; the rest is as usual. */
export interface Wanted {
  key?: string;
  mode?: 'edit' | 'view';
  user?: { id: string; name: string };
}

/** What portals and browsers do with the service, through its front. */
export interface Sessions {
  /** Of the front, without a slash at its end. */
  url: string;
  /** A request through the front. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** An embed configuration as a portal signs it. */
  token(wanted?: Wanted): Promise<string>;
  /** A session that must come about. */
  create(wanted?: Wanted): Promise<EmbedSession>;
  /** A request of a session. */
  ask(session: EmbedSession, path?: string, init?: RequestInit): Promise<Response>;
  state(session: EmbedSession): Promise<EmbedSessionState>;
  status(): Promise<GateStatus>;
  /** Opens a session in the editor. */
  open(session: EmbedSession, options?: Partial<OpenOptions>): Promise<EditorClient>;
  /** Saves as the browser library does; resolves as its `save()`: with the version that the gate has. */
  save(session: EmbedSession, client: EditorClient): Promise<number>;
}

export interface Portal {
  origin: string;
  documentUrl: string;
  callbackUrl: string;
  jwtSecret: string;
  /** Of the service. */
  clock?: () => number;
}

/** @param url of the front, without a slash at its end */
export function sessionsAt(
  url: string,
  { origin, documentUrl, callbackUrl, jwtSecret, clock = Date.now }: Portal,
): Sessions {
  const call: Sessions['call'] = (path, init) => fetch(`${url}${path}`, init);
  const ask: Sessions['ask'] = (session, path = '', init = {}) =>
    call(`/svc/embed/session/${session.session_id}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${session.form.access_token}`, ...init.headers },
    });
  const token: Sessions['token'] = ({ key = 'contract-1', mode = 'edit', user = { id: 'u1', name: 'An' } } = {}) =>
    signHs256(
      {
        document: { url: documentUrl, title: 'Hợp đồng.docx', fileType: 'docx', key },
        editor: { mode, user, callbackUrl },
        exp: Math.floor(clock() / 1000) + 600,
      },
      jwtSecret,
    );
  const state: Sessions['state'] = async (session) => bodyOf(await ask(session), 200);

  return {
    ...{ url, call, token, ask, state },
    async create(wanted) {
      const body = JSON.stringify({ token: await token(wanted) });
      const headers = { 'Content-Type': 'application/json', Origin: origin };
      const answer = await call('/svc/embed/session', { method: 'POST', headers, body });
      const session = await bodyOf<EmbedSession>(answer, 201);
      secret(session.form.access_token);
      return session;
    },
    status: async () => bodyOf(await call('/svc/status'), 200),
    open: (session, options) =>
      openEditor({ server: url, session: { ...session, form: { ...session.form } }, ...options }),
    async save(session, client) {
      const nonce = randomBytes(8).toString('hex');
      await client.save({ extendedData: `svc1.${nonce}` });
      return until(`the save ${nonce}`, async () => {
        const { save } = await state(session);
        return save?.nonce === nonce ? save.version : undefined;
      });
    },
  };
}

async function bodyOf<Body>(response: Response, status: number): Promise<Body> {
  if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}
