import { randomBytes } from 'node:crypto';
import { signHs256 } from '../../../../src/common/crypto/jwt.ts';
import type { EmbedSession } from '../../../../src/common/generated/wire.ts';
import { openEditor } from '../../../editor/client.ts';
import { secret } from '../../../support/logs.ts';
import type { Stack } from '../../../support/stack.ts';
import { until } from '../../../support/until.ts';
import type { Office } from './office.ts';

/** What portals and browsers do with the service, through its front; as with the stack of one machine. */
export type Sessions = Pick<
  Stack,
  'url' | 'receiver' | 'call' | 'token' | 'create' | 'ask' | 'state' | 'status' | 'open' | 'save'
>;

/** The same for the instance of a cluster. */
export async function sessionsOf(office: Office): Promise<Sessions> {
  const { url, documentUrl, portal, receiver } = office.outside;
  const jwtSecret = secret(await office.secret('office-secrets', 'embed-jwt-secret'));
  const call: Sessions['call'] = (path, init) => fetch(`${url}${path}`, init);
  const json = async <Body>(response: Response, status: number): Promise<Body> => {
    if (response.status !== status) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const sessions: Sessions = {
    url,
    receiver,
    call,
    token: ({ key = 'cluster-1', mode = 'edit', user = { id: 'u1', name: 'An' } } = {}) =>
      signHs256(
        {
          document: { url: documentUrl, title: 'Hợp đồng.docx', fileType: 'docx', key },
          editor: { mode, user, callbackUrl: receiver.url },
          exp: Math.floor(Date.now() / 1000) + 600,
        },
        jwtSecret,
      ),
    async create(wanted) {
      const body = JSON.stringify({ token: await sessions.token(wanted) });
      const headers = { 'Content-Type': 'application/json', Origin: portal };
      const session = await json<EmbedSession>(
        await call('/svc/embed/session', { method: 'POST', headers, body }),
        201,
      );
      secret(session.form.access_token);
      return session;
    },
    ask: (session, path = '', init = {}) =>
      call(`/svc/embed/session/${session.session_id}${path}`, {
        ...init,
        headers: { Authorization: `Bearer ${session.form.access_token}`, ...init.headers },
      }),
    state: async (session) => json(await sessions.ask(session), 200),
    status: async () => json(await call('/svc/status'), 200),
    open: (session, options) =>
      openEditor({ server: url, session: { ...session, form: { ...session.form } }, ...options }),
    async save(session, client) {
      const nonce = randomBytes(8).toString('hex');
      await client.save({ extendedData: `svc1.${nonce}` });
      return until(`the save ${nonce}`, async () => {
        const { save } = await sessions.state(session);
        return save?.nonce === nonce ? save.version : undefined;
      });
    },
  };
  await until('the gate knows the editor', async () => (await sessions.status()).upstream.editor_server === 'ok');
  const reader = await sessions.create({ key: 'reader', mode: 'view' });
  await until('the editor finds the gate', () =>
    sessions.open(reader).then(
      (client) => client.leave().then(() => true),
      () => undefined,
    ),
  );
  return sessions;
}
