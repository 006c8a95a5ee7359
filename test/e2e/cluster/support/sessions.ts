import type { callbackReceiver } from '../../../support/gate-receiver.ts';
import { secret } from '../../../support/logs.ts';
import { type Sessions, sessionsAt } from '../../../support/sessions.ts';
import { until } from '../../../support/until.ts';
import type { Office } from './office.ts';

export interface ClusterSessions extends Sessions {
  receiver: Awaited<ReturnType<typeof callbackReceiver>>;
}

/** The sessions of a cluster's instance, once its editor and its gate have found each other. */
export async function sessionsOf(office: Office): Promise<ClusterSessions> {
  const { url, documentUrl, portal, receiver } = office.outside;
  const jwtSecret = secret(await office.secret('office-secrets', 'embed-jwt-secret'));
  const sessions = sessionsAt(url, { origin: portal, documentUrl, callbackUrl: receiver.url, jwtSecret });
  await until('the gate knows the editor', async () => (await sessions.status()).upstream.editor_server === 'ok');
  const reader = await sessions.create({ key: 'reader', mode: 'view' });
  await until('the editor finds the gate', () =>
    sessions.open(reader).then(
      (client) => client.leave().then(() => true),
      () => undefined,
    ),
  );
  return { ...sessions, receiver };
}
