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
  await until('the gate knows the editor', () =>
    sessions.status().then(
      ({ upstream }) => upstream.editor_server === 'ok',
      // A Service that was made again has another address, which the front and the node learn of by and by.
      () => undefined,
    ),
  );
  const reader = await sessions.create({ key: 'reader', mode: 'view' });
  await until('the editor finds the gate', () =>
    sessions.open(reader).then(
      (client) => client.leave().then(() => true),
      () => undefined,
    ),
  );
  return { ...sessions, receiver };
}
