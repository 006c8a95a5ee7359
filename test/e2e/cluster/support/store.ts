import { clusterEnding } from '../../../support/at-end.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
import { testServers } from '../../../support/test-store.ts';
import type { Cluster } from '../cluster.ts';

const DATABASE = 'store-database';
const BUCKET = 'store-bucket';

/**
 * Makes a database and its Secrets. It and the bucket are processes of this machine: pods reach them at its address.
 * @param namespace of the instance; its objects begin with the name as well
 */
export async function clusterStore(cluster: Cluster, namespace: string) {
  const { postgres, s3 } = await testServers();
  const { hostAddress, kubectl } = cluster;
  const database = new URL(await postgres.create());
  database.hostname = hostAddress;
  database.port = String(await openDoor(hostAddress, postgres.port));
  const keys = {
    AWS_ACCESS_KEY_ID: s3.settings.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.settings.credentials.secretAccessKey,
  };
  async function putSecret(name: string, stringData: Record<string, string>): Promise<void> {
    const metadata = { name, namespace };
    const object = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'svc.internal/secrets', stringData };
    await kubectl(['apply', '--server-side', '--filename', '-'], JSON.stringify(object));
  }
  await putSecret(DATABASE, { uri: database.href });
  await putSecret(BUCKET, keys);
  return {
    /** `spec.storage` of an instance in the namespace that has the Secrets. */
    storage: {
      postgres: { secretName: DATABASE },
      s3: {
        bucket: s3.settings.bucket,
        endpoint: `http://${hostAddress}:${await openDoor(hostAddress, s3.port)}`,
        prefix: `${namespace}/`,
        secretName: BUCKET,
      },
    },
    putSecret,
  };
}

/** Returns a port of an address of this machine that leads to one of its loopback address, until the cluster ends. */
async function openDoor(address: string, port: number): Promise<number> {
  const door = await startTcpProxy(port, { on: address });
  clusterEnding.at(door.close);
  return door.port;
}
