import type { SvcInstanceSpec, SvcInstanceStatus } from '../../../../src/common/generated/wire.ts';
import { until } from '../../../support/until.ts';
import type { Cluster } from '../cluster.ts';

const READY_MS = 240_000;

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

/** An SvcInstance as the API server has it. */
export interface InstanceObject {
  metadata: { name: string; uid: string; generation: number };
  spec: SvcInstanceSpec;
  status: SvcInstanceStatus;
}

/** A pod, as far as tests look at it. */
export interface Pod {
  metadata: { name: string; uid: string; labels: Record<string, string>; deletionTimestamp?: string };
  spec: { nodeName?: string; containers: { image: string }[] };
}

/** What a person does with an instance: by kubectl, in its namespace. */
export interface InstanceHandle {
  kubectl(...parameters: string[]): Promise<string>;
  /** `kubectl get … --output json`. */
  get<T>(...what: string[]): Promise<T>;
  instance(): Promise<InstanceObject>;
  condition(type: string): Promise<Condition | undefined>;
  /** `kubectl patch --type=merge`; null takes a member away. */
  patch(spec: object): Promise<void>;
  /** `kubectl wait --for=condition=Ready`; an error says what it was waiting for. */
  ready(): Promise<void>;
  /** Pods that are not on their way out, of one component or of all. */
  pods(component?: string): Promise<Pod[]>;
  /** Value of a key of a Secret. */
  secret(name: string, key: string): Promise<string>;
}

export function instanceHandle(cluster: Cluster, namespace: string, name: string): InstanceHandle {
  const kubectl = (...parameters: string[]) => cluster.kubectl(['--namespace', namespace, ...parameters]);
  const handle: InstanceHandle = {
    kubectl,
    get: async (...what) => JSON.parse(await kubectl('get', ...what, '--output', 'json')),
    instance: () => handle.get('svcinstance', name),
    async condition(type) {
      const { status } = await handle.instance();
      return status.conditions?.find((condition) => condition.type === type) as Condition | undefined;
    },
    async patch(spec) {
      await kubectl('patch', 'svcinstance', name, '--type=merge', '--patch', JSON.stringify({ spec }));
    },
    async ready() {
      const wait = ['wait', `svcinstance/${name}`, '--for=condition=Ready', `--timeout=${READY_MS / 1000}s`];
      await kubectl(...wait).catch(async (error: { stderr: string }) => {
        const what = [`svcinstance/${name}`, 'pods', 'events'];
        const found = await Promise.all(what.map((each) => kubectl('describe', each).catch(String)));
        throw new Error(`${error.stderr}\n${found.join('\n')}`);
      });
    },
    async pods(component) {
      const which = component === undefined ? '' : `,app.kubernetes.io/component=${component}`;
      const { items } = await handle.get<{ items: Pod[] }>('pods', '-l', `app.kubernetes.io/instance=${name}${which}`);
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
    async secret(secret, key) {
      const { data } = await handle.get<{ data: Record<string, string> }>('secret', secret);
      return Buffer.from(data[key] ?? '', 'base64').toString();
    },
  };
  return handle;
}

/** A condition, once it has this status, and this reason where one is told. */
export function conditionIs(
  handle: InstanceHandle,
  type: string,
  status: Condition['status'],
  reason?: string,
): Promise<Condition> {
  return until(
    `${type}=${status} ${reason ?? ''}`,
    async () => {
      const found = await handle.condition(type);
      const fits = found?.status === status && (reason === undefined || found.reason === reason);
      return fits ? found : undefined;
    },
    60_000,
  );
}

/** Which pods there are, by component: the same as long as none is started again. */
export async function uids(handle: InstanceHandle, ...components: string[]): Promise<Record<string, string[]>> {
  const found = await handle.pods();
  const of = (component: string) =>
    found
      .filter(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === component)
      .map(({ metadata }) => metadata.uid)
      .sort();
  return Object.fromEntries(components.map((component) => [component, of(component)]));
}
