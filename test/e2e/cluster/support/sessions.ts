import type { callbackReceiver } from '../../../support/gate-receiver.ts';
import { secret } from '../../../support/logs.ts';
import { type Sessions, sessionsAt } from '../../../support/sessions.ts';
import { until } from '../../../support/until.ts';
import type { Office } from './office.ts';
import type { Outside } from './outside.ts';

export interface ClusterSessions extends Sessions {
  receiver: Awaited<ReturnType<typeof callbackReceiver>>;
}

/** The sessions of a service as seen from outside, once its gate knows its editor. */
export async function sessionsThrough(outside: Outside, jwtSecret: string): Promise<Sessions> {
  const { url, documentUrl, portal, receiver } = outside;
  const sessions = sessionsAt(url, {
    ...{ origin: portal, documentUrl, callbackUrl: receiver.url, jwtSecret: secret(jwtSecret) },
  });
  await until('the gate knows the editor', () =>
    sessions.status().then(
      ({ upstream }) => upstream.editor_server === 'ok',
      // A Service that was made again has another address, which the front and the node learn of by and by.
      () => undefined,
    ),
  );
  return sessions;
}

/** The sessions of the office, once its editor and its gate have found each other. */
export async function openSessions(office: Office): Promise<ClusterSessions> {
  const { receiver } = office.outside;
  const sessions = await sessionsThrough(office.outside, await office.secret('office-secrets', 'embed-jwt-secret'));
  const reader = await sessions.create({ key: 'reader', mode: 'view' });
  await until('the editor finds the gate', () =>
    sessions.open(reader).then(
      (client) => client.leave().then(() => true),
      () => undefined,
    ),
  );
  return { ...sessions, receiver };
}
