import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { V1Deployment, V1Secret } from '@kubernetes/client-node';
import { type Controller, type Overrides, startController } from '../../cmd/controller/app.ts';
import { loadConfig } from '../../cmd/controller/config.ts';
import { type KubernetesObject, RESOURCES, type Resource } from '../../cmd/controller/k8s/api.ts';
import { ApiClient } from '../../cmd/controller/k8s/client.ts';
import { type Condition, type ConditionType, findCondition } from '../../cmd/controller/reconcile/conditions.ts';
import { decodeSecret } from '../../cmd/controller/reconcile/given-secrets.ts';
import type { SvcInstance } from '../../cmd/controller/reconcile/instances.ts';
import type { Environment } from '../../src/common/config.ts';
import { signEdDsa } from '../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../src/common/crypto/key-set.ts';
import { type ApiServer, apiServerMissing, sharedApiServer } from './api-server.ts';
import { readKubeConfig } from './kubeconfig.ts';
import { established } from './kubectl.ts';
import { secret, testLogger } from './logs.ts';
import { until } from './until.ts';

const DEFINITION = resolve(import.meta.dirname, '../../crds/svcinstances.svc.internal.yaml');
/** Kinds that an API server has without extensions. */
const { svcInstance: _, lease: __, event: ___, httpRoute: ____, ...OWNED } = RESOURCES;
const NAMESPACES: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
const key = generateEd25519('test');

export interface Figures {
  queue: { waiting: number; running: number; done: number; failed: number };
  events_waiting: number;
  instances: number;
  owned: number;
}

/** A namespace of a real API server with our definition, and a controller that looks after it. */
export type TestCluster = Awaited<ReturnType<typeof startTestCluster>>;

/** Skips the suite where there is no API server. */
export async function startTestCluster(context: Mocha.Context) {
  if (apiServerMissing()) context.skip();
  const server = await sharedApiServer();
  const folder = await mkdtemp(join(tmpdir(), 'svc-controller-'));
  const kubeConfig = readKubeConfig(server.kubeconfig);
  const client = new ApiClient(kubeConfig);
  await defineInstances(server);
  const namespace = `test-${randomBytes(4).toString('hex')}`;
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const keysFile = join(folder, 'keys.json');
  await writeFile(keysFile, JSON.stringify({ keys: [toPublic(key)] }));
  const environment: Environment = {
    SVC_CONTROLLER_NAMESPACES: namespace,
    SVC_CONTROLLER_LISTEN: '127.0.0.1:0',
    SVC_CONTROLLER_LEADER_ELECTION: '0',
    SVC_CONTROLLER_CLUSTER_DNS: '10.96.0.10',
    SVC_CONTROLLER_CLUSTER_DOMAIN: 'cluster.local',
    SVC_LICENSE_KEYS_FILE: keysFile,
    SVC_AUDIT_TARGET: 'off',
  };
  let controller: Controller | undefined;

  async function stopController(): Promise<void> {
    await controller?.stop();
    controller = undefined;
  }
  /** The controller's figures. */
  async function figures(): Promise<Figures> {
    const answer = await fetch(`http://127.0.0.1:${controller?.address.port}/status`);
    return (await answer.json()) as Figures;
  }
  async function get(name: string): Promise<SvcInstance> {
    const instance = await client.get<SvcInstance>(RESOURCES.svcInstance, namespace, name);
    if (!instance) throw new Error(`no instance ${name}`);
    return instance;
  }
  /** The instance, once its controller has dealt with its newest spec. */
  const settled = (name: string, condition: (instance: SvcInstance) => boolean = () => true): Promise<SvcInstance> =>
    until(`instance ${name} is settled`, async () => {
      const instance = await get(name);
      const current = instance.status?.observedGeneration === instance.metadata.generation;
      return current && condition(instance) ? instance : undefined;
    });
  const list = async <T extends KubernetesObject>(resource: Resource, labelSelector?: string): Promise<readonly T[]> =>
    (await client.list<T>(resource, { namespace, limit: 500, ...(labelSelector && { labelSelector }) })).items;
  /** Everything that the controller has made, by `Kind/name`. */
  async function objects(): Promise<Map<string, KubernetesObject>> {
    const selector = 'app.kubernetes.io/managed-by=svc-controller';
    const lists = await Promise.all(Object.values(OWNED).map((resource) => list(resource, selector)));
    return new Map(lists.flat().map((object) => [`${object.kind}/${object.metadata.name}`, object]));
  }
  const object = <T extends KubernetesObject>(resource: Resource, name: string): Promise<T | undefined> =>
    client.get<T>(resource, namespace, name);

  return {
    ...{ server, client, namespace, environment, stopController, figures, get, settled, objects, object },
    /** Starts a controller in this process; the one before must have been stopped. */
    async startController(overrides: Overrides = {}, more: Environment = {}): Promise<Controller> {
      controller = await startController(loadConfig({ ...environment, ...more }), testLogger(), {
        kubeConfig,
        lookAgainMs: 300,
        ...overrides,
      });
      return controller;
    },
    /** The figures of its queue, once that has nothing to do. */
    idle: () =>
      until('the queue is empty', async () => {
        const { queue } = await figures();
        return queue.waiting + queue.running === 0 ? queue : undefined;
      }),
    /** Creates or changes an instance, as `kubectl apply` does. */
    async apply(name: string, spec = {}, annotations: Record<string, string | null> = {}): Promise<SvcInstance> {
      const metadata = { name, namespace, annotations } as SvcInstance['metadata'];
      const { apiVersion, kind } = RESOURCES.svcInstance;
      const instance = { apiVersion, kind, metadata, spec: { host: `${name}.example`, ...spec } } as SvcInstance;
      return client.apply(RESOURCES.svcInstance, instance, { manager: 'kubectl' });
    },
    /** The resourceVersion of each object that the controller has made. */
    async versions(): Promise<Record<string, string | undefined>> {
      return Object.fromEntries([...(await objects())].map(([name, { metadata }]) => [name, metadata.resourceVersion]));
    },
    async deployment(name: string): Promise<V1Deployment & KubernetesObject> {
      const found = await object<V1Deployment & KubernetesObject>(RESOURCES.deployment, name);
      if (!found) throw new Error(`no Deployment ${name}`);
      return found;
    },
    /** Reads the values of a Secret; empty if there is none. */
    secretValues: async (name: string) =>
      decodeSecret((await object<V1Secret & KubernetesObject>(RESOURCES.secret, name))?.data),
    condition: async (name: string, type: ConditionType) => getCondition(await get(name), type),
    /** The condition Ready of an instance, once its controller has given it that reason. */
    async readyAs(name: string, reason: string): Promise<Condition> {
      const instance = await settled(name, (found) => getCondition(found, 'Ready')?.reason === reason);
      return getCondition(instance, 'Ready') as Condition;
    },
    /** Plays controller-manager, kubelet and edge: each Deployment is said to be complete, each Ingress has an address. */
    async completeDeployments(): Promise<void> {
      const [deployments, ingresses] = [await list(RESOURCES.deployment), await list(RESOURCES.ingress)];
      await Promise.all([
        ...deployments.map((deployment) => complete(client, deployment)),
        ...ingresses.map((ingress) => giveAddress(client, ingress)),
      ]);
    },
    /** @param instance that the Secret says it is for */
    async putSecret(name: string, values: Record<string, string>, instance?: string): Promise<void> {
      const data = Object.fromEntries(
        Object.entries(values).map(([member, value]) => [member, Buffer.from(secret(value)).toString('base64')]),
      );
      const labels = instance === undefined ? {} : { 'svc.internal/instance': instance };
      const given = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels }, data };
      await client.apply(RESOURCES.secret, given, { manager: 'kubectl' });
    },
    /** A licence that the controller's keys verify. @param days until it expires */
    async license(conns: number, days = 365): Promise<string> {
      const now = Math.floor(Date.now() / 1000);
      const features = ['api_full', 'callback'];
      return signEdDsa({ sub: 'Company', conns, features, iat: now - 60, exp: now + days * 86_400 }, key);
    },
    async close(): Promise<void> {
      await stopController();
      for (const { metadata } of await list<SvcInstance>(RESOURCES.svcInstance)) {
        await client.remove(RESOURCES.svcInstance, namespace, metadata.name, metadata.uid);
      }
      client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Prepare = (cluster: TestCluster, context: Mocha.Context) => Promise<unknown>;

/**
 * Gives the suite around the call a cluster, which is closed afterwards.
 * @param prepare gets it ready, and may return what cleans up behind it; without one it has a controller
 */
export function useTestCluster(prepare: Prepare = (cluster) => cluster.startController()): TestCluster {
  const cluster = {} as TestCluster;
  let cleanUp: unknown;
  before(async function () {
    Object.assign(cluster, await startTestCluster(this));
    cleanUp = await prepare(cluster, this);
  });
  after(async () => {
    if (typeof cleanUp === 'function') await cleanUp();
    await cluster.close?.();
  });
  return cluster;
}

/** Starts a controller that makes an instance `office`. */
export async function startOffice(cluster: TestCluster): Promise<void> {
  await cluster.startController();
  await cluster.apply('office');
  await cluster.settled('office');
}

/** The condition of a type of an instance. */
export function getCondition({ status }: Pick<SvcInstance, 'status'>, type: ConditionType): Condition | undefined {
  return findCondition(status?.conditions ?? [], type);
}

/** Makes a check that a condition of an instance is `True`. */
export function isTrue(type: ConditionType): (instance: SvcInstance) => boolean {
  return (instance) => getCondition(instance, type)?.status === 'True';
}

const defined = new WeakMap<ApiServer, Promise<void>>();

/** Defines our kind, once for each API server. */
export function defineInstances(server: ApiServer): Promise<void> {
  const definition = defined.get(server) ?? define(server);
  defined.set(server, definition);
  return definition;
}

async function define(server: ApiServer): Promise<void> {
  await server.kubectl(['apply', '--server-side', '--force-conflicts', '-f', DEFINITION]);
  await established(server.kubectl, 'svcinstances.svc.internal');
}

/** Says, as controller-manager would, that all pods of a Deployment run. */
export async function complete(client: ApiClient, deployment: KubernetesObject): Promise<void> {
  const { replicas = 1 } = (deployment as KubernetesObject & { spec: { replicas?: number } }).spec;
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const available = { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: '' };
  await giveStatus(client, RESOURCES.deployment, deployment, {
    observedGeneration: deployment.metadata.generation,
    ...{ replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas },
    conditions: [{ ...available, lastUpdateTime: now, lastTransitionTime: now }],
  });
}

/** Says, as an ingress controller would, where the edge is. */
export function giveAddress(client: ApiClient, ingress: KubernetesObject): Promise<void> {
  return giveStatus(client, RESOURCES.ingress, ingress, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } });
}

async function giveStatus(client: ApiClient, resource: Resource, object: KubernetesObject, status: object) {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const given = { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) }, status } as KubernetesObject;
  await client.apply(resource, given, { manager: 'somebody', subresource: 'status' });
}
