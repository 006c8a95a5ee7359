import type { Context } from 'mocha';
import { secret } from '../../../support/logs.ts';
import { skip } from '../../../support/skip.ts';
import { sharedStoreMissing } from '../../../support/test-store.ts';
import { type Asked, askAgain } from './asking.ts';
import { instanceHandle } from './instance.ts';
import { answers, makeNamespace, type Office } from './office.ts';
import { type Outside, startOutside } from './outside.ts';
import { sessionsThrough } from './sessions.ts';
import { clusterStore } from './store.ts';

const SMALL = { resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '1500Mi' } } };

/** An instance on PostgreSQL and an S3 server: processes of this machine, which pods reach at its address. */
export type SharedInstance = Awaited<ReturnType<typeof startSharedInstance>>;

interface Wanted {
  /** Also the name of its namespace. */
  name: string;
  nodePort: number;
  /** Where its NodePort is; by default on the first node. */
  edge?: { address: string; port: number };
  /** Members of `spec.storage` beside the database and the bucket. */
  storage?: object;
  /** Number of pods of the front. */
  fronts?: number;
}

/** Starts an instance with two gates and two DocBuilders. Skips the test, and says why, where the machine has no such store. */
export async function startSharedInstance(context: Context, office: Office, wanted: Wanted) {
  const missing = await sharedStoreMissing();
  if (missing) skip(context, missing);
  const { cluster } = office;
  const { name } = wanted;
  const edge = wanted.edge ?? { address: cluster.nodeAddress, port: wanted.nodePort };
  const outside = await startOutside(edge, cluster.hostAddress);
  const stop = async () => {
    await cluster.kubectl(['delete', 'namespace', name, '--ignore-not-found', '--wait=false']);
    await outside.stop();
  };
  try {
    await makeNamespace(cluster, name, 'baseline');
    const handle = instanceHandle(cluster, name, name);
    const store = await clusterStore(cluster, name);
    await store.putSecret('svc-license', { token: await office.licence() });
    const object = instance(wanted, outside, cluster.hostAddress, store.storage);
    await cluster.kubectl(['apply', '--filename', '-'], JSON.stringify(object));
    await handle.ready();
    const getKey = (key: string) => handle.secret(`${name}-secrets`, key);
    const apiKey = secret((await getKey('docbuilder-api-keys')).replace(/^.*:/, ''));
    const sessions = await sessionsThrough(outside, await getKey('embed-jwt-secret'));
    await answers(outside.url);
    const ask = (asked?: Asked) => askAgain({ sessions, apiKey, handle }, asked);
    return { ...handle, sessions, ask, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function instance(wanted: Wanted, outside: Outside, hostAddress: string, shared: object): object {
  const { name, nodePort, storage, fronts = 1 } = wanted;
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
      storage: { ...storage, ...shared },
    },
  };
}
