import { connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'mocha';
import { portOf } from '../../../support/listen.ts';
import { secret } from '../../../support/logs.ts';
import { postgresOrSkip } from '../../../support/postgres.ts';
import { type S3Server, s3Missing, startS3Server } from '../../../support/s3-server.ts';
import { type Sessions, sessionsAt } from '../../../support/sessions.ts';
import { until } from '../../../support/until.ts';
import { type InstanceHandle, instanceHandle } from './instance.ts';
import { answers, makeNamespace, type Office } from './office.ts';
import { type Outside, startOutside } from './outside.ts';

const SMALL = { resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '1500Mi' } } };

/** An instance on PostgreSQL and an S3 server: processes of this machine, which pods reach at its address. */
export interface SharedInstance extends InstanceHandle {
  outside: Outside;
  sessions: Sessions;
  apiKey: string;
  /** Writes the Secret of the bucket, with values in place of the right ones. */
  putKeys(values?: Record<string, string>): Promise<void>;
  /** Asks again and again until it is told to end. @returns what ends it, and gives all that was not answered as it should be */
  ask(path?: string, pauseMs?: number, body?: () => FormData): () => Promise<string[]>;
  stop(): Promise<void>;
}

interface Wanted {
  /** That of its namespace as well. */
  name: string;
  nodePort: number;
  /** Where its NodePort is; that of the first node unless told. */
  edge?: { address: string; port: number };
  /** Members of `spec.storage` beside the database and the bucket. */
  storage?: object;
  /** Number of pods of the front. */
  fronts?: number;
}

/** Starts an instance with two gates and two DocBuilders. Skips the test, and says why, where the machine has no such store. */
export async function startSharedInstance(context: Context, office: Office, wanted: Wanted): Promise<SharedInstance> {
  const missing = s3Missing();
  if (missing) {
    process.stderr.write(`      skipped: ${missing}\n`);
    context.skip();
  }
  const { cluster } = office;
  const { name } = wanted;
  const postgres = await postgresOrSkip(context);
  const s3 = await startS3Server();
  const doors: Server[] = [];
  const edge = wanted.edge ?? { address: cluster.nodeAddress, port: wanted.nodePort };
  const outside = await startOutside(edge, cluster.hostAddress);
  const stop = async () => {
    await cluster.kubectl(['delete', 'namespace', name, '--ignore-not-found', '--wait=false']);
    await outside.stop();
    for (const door of doors) door.close();
    await s3.dispose();
    await postgres.stop();
  };
  try {
    await makeNamespace(cluster, name, 'baseline');
    const handle = instanceHandle(cluster, name, name);
    const putSecret = async (secretName: string, stringData: Record<string, string>) => {
      const metadata = { name: secretName, namespace: name };
      const object = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'svc.internal/secrets', stringData };
      await cluster.kubectl(['apply', '--server-side', '--filename', '-'], JSON.stringify(object));
    };
    const putKeys: SharedInstance['putKeys'] = (values) => putSecret('bucket', { ...keysOf(s3), ...values });
    const database = new URL(await postgres.create());
    database.hostname = cluster.hostAddress;
    database.port = String(await open(doors, postgres.port, cluster.hostAddress));
    await putSecret('database', { uri: database.href });
    await putKeys();
    await putSecret('svc-license', { token: await office.licence() });
    const s3Address = `http://${cluster.hostAddress}:${await open(doors, s3.port, cluster.hostAddress)}`;
    const object = instance(wanted, outside, cluster.hostAddress, s3Address);
    await cluster.kubectl(['apply', '--filename', '-'], JSON.stringify(object));
    await handle.ready();
    const { url, documentUrl, portal, receiver } = outside;
    const jwtSecret = secret(await handle.secret(`${name}-secrets`, 'embed-jwt-secret'));
    const apiKey = secret((await handle.secret(`${name}-secrets`, 'docbuilder-api-keys')).replace(/^.*:/, ''));
    const sessions = sessionsAt(url, { origin: portal, documentUrl, callbackUrl: receiver.url, jwtSecret });
    await until('the gates know the editor', () =>
      sessions.status().then(
        ({ upstream }) => upstream.editor_server === 'ok' || undefined,
        () => undefined,
      ),
    );
    await answers(url);
    const ask: SharedInstance['ask'] = (path, pauseMs, body) => askAgain(sessions, apiKey, path, pauseMs, body);
    return { ...handle, outside, sessions, apiKey, putKeys, ask, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The port of this machine's address that leads to one of its loopback address. */
function open(doors: Server[], port: number, address: string): Promise<number> {
  const door = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  doors.push(door);
  return portOf(door.listen(0, address));
}

function keysOf({ settings: { credentials } }: S3Server): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey };
}

function instance(wanted: Wanted, outside: Outside, hostAddress: string, s3Address: string): object {
  const { name, nodePort, storage, fronts = 1 } = wanted;
  const s3 = { bucket: 'svc', endpoint: s3Address, secretName: 'bucket' };
  return {
    apiVersion: 'svc.internal/v1',
    kind: 'SvcInstance',
    metadata: { name, namespace: name },
    spec: {
      host: 'localhost',
      port: outside.edgePort,
      tls: { mode: 'Disabled' },
      ingress: { gating: 'None' },
      front: { replicas: fronts, service: { type: 'NodePort', nodePort }, pod: SMALL },
      gate: { replicas: 2, pod: SMALL },
      license: { secretName: 'svc-license' },
      docbuilder: { replicas: 2, pod: SMALL },
      editor: { pod: SMALL },
      embed: { allowedOrigins: [outside.portal] },
      outbound: { allowHosts: [hostAddress] },
      storage: { ...storage, postgres: { secretName: 'database' }, s3 },
    },
  };
}

function askAgain(
  sessions: Sessions,
  apiKey: string,
  path = '/svc/status',
  pauseMs = 25,
  body?: () => FormData,
): () => Promise<string[]> {
  const failures: string[] = [];
  let ended = false;
  const asking = (async () => {
    while (!ended) {
      // A kept connection may be closed just when it is used again: an edge asks again then.
      const headers = { Authorization: `Bearer ${apiKey}`, Connection: 'close' };
      const init = { headers, ...(body && { method: 'POST', body: body() }) };
      const answer = await sessions.call(path, init).then(
        async (response) => (response.ok ? '' : `${response.status} ${await response.text()}`),
        (error: Error) => error.message,
      );
      if (answer !== '') failures.push(answer);
      await delay(pauseMs);
    }
  })();
  return async () => {
    ended = true;
    await asking;
    return failures;
  };
}
