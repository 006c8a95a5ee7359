import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { desired } from '../../cmd/controller/desired/index.ts';
import { ANNOTATION } from '../../cmd/controller/desired/labels.ts';
import { effectiveSecrets } from '../../cmd/controller/desired/secrets.ts';
import { findResource, type KubernetesObject, objectPath, RESOURCES } from '../../cmd/controller/k8s/api.ts';
import type { SvcInstance } from '../../cmd/controller/reconcile/instances.ts';
import { NO_LICENSE } from '../../src/common/crypto/license.ts';
import type { SvcInstanceStatus } from '../../src/common/generated/wire.ts';
import { docbuilderPlan } from '../../src/common/plan.ts';
import { VERSION } from '../../src/common/version.ts';
import type { Cluster } from './cluster.ts';
import { forAll } from './instances.ts';

/** As the controller has them: of an instance all objects of a stage. */
const CONNECTIONS = 16;
const INSTANCES_AT_A_TIME = 4;
const OBJECTS_AT_A_TIME = 24;
const IMAGE = 'registry.example/image:1.0.0';

interface Write {
  path: string;
  body: string;
}

/** A client that only writes what the controller would, without a look at what there is. */
export interface BareWriter {
  /** Writes all objects of the instances, and a status for each. @returns seconds */
  write(status: SvcInstanceStatus): Promise<number>;
}

/** Makes all bodies beforehand. */
export function bareWriter({ server }: Cluster, instances: readonly SvcInstance[]): BareWriter {
  const objects = instances.map((instance) =>
    createObjects(instance).map((object) => toWrite(object, 'svc-controller')),
  );
  return {
    async write(status) {
      const statuses = instances.map(({ apiVersion, kind, metadata: { name, namespace } }) =>
        toWrite({ apiVersion, kind, metadata: { name, namespace }, status } as KubernetesObject, 'status', 'status'),
      );
      const pool = new Pool(server.url, { connections: CONNECTIONS, connect: { ca: server.ca } });
      const send = async ({ path, body }: Write): Promise<void> => {
        const answer = await pool.request({
          method: 'PATCH',
          path,
          headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/apply-patch+yaml' },
          body,
        });
        const text = await answer.body.text();
        if (answer.statusCode >= 300) throw new Error(`PATCH ${path}: ${answer.statusCode} ${text}`);
      };
      const started = performance.now();
      const one = async (index: number): Promise<void> => {
        await forAll(objects[index] ?? [], send, OBJECTS_AT_A_TIME);
        await forAll(statuses.slice(index, index + 1), send, 1);
      };
      await forAll(instances.keys(), one, INSTANCES_AT_A_TIME);
      const seconds = (performance.now() - started) / 1000;
      await pool.destroy();
      return seconds;
    },
  };
}

function createObjects(instance: SvcInstance): KubernetesObject[] {
  const objects = desired({
    instance,
    settings: {
      version: VERSION,
      images: { gate: IMAGE, docbuilder: IMAGE, editor: IMAGE, front: IMAGE },
      pullSecrets: [],
      clusterDomain: 'cluster.local',
      clusterDns: '10.96.0.10',
      dnsAddress: '10.96.0.10',
      listen: { host: '0.0.0.0' },
      licenseKeys: '{"keys":[]}',
      policy: {},
    },
    license: NO_LICENSE,
    plan: docbuilderPlan(NO_LICENSE),
    licenseFiles: {},
    secrets: effectiveSecrets({}, {}, randomBytes),
  });
  return objects.map((object) => {
    const annotations = { ...object.metadata.annotations, [ANNOTATION.applied]: 'true' };
    return { ...object, metadata: { ...object.metadata, annotations } };
  });
}

function toWrite(object: KubernetesObject, manager: string, subresource?: string): Write {
  const { namespace, name } = object.metadata;
  const path = objectPath(subresource ? RESOURCES.svcInstance : findResource(object), namespace, name, subresource);
  return { path: `${path}?fieldManager=${manager}&force=true`, body: JSON.stringify(object) };
}
