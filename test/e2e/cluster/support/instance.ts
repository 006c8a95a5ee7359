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

/** Parameters of kubectl for the log of all that runs in a namespace. @param seconds how far back it reaches */
export const serviceLogs = (seconds: number): string[] => [
  ...['logs', '--selector', 'app.kubernetes.io/name=svc', '--prefix', '--max-log-requests=20'],
  ...['--tail=-1', `--since=${seconds}s`],
];

/** Commands of kubectl for an instance, in its namespace. */
export type InstanceHandle = ReturnType<typeof instanceHandle>;

export function instanceHandle(cluster: Cluster, namespace: string, name: string) {
  const kubectl = (...parameters: string[]) => cluster.kubectl(['--namespace', namespace, ...parameters]);
  /** `kubectl get … --output json`. */
  const get = async <T>(...what: string[]): Promise<T> => JSON.parse(await kubectl('get', ...what, '--output', 'json'));
  const instance = () => get<InstanceObject>('svcinstance', name);
  return {
    ...{ kubectl, get, instance },
    async condition(type: string): Promise<Condition | undefined> {
      const { status } = await instance();
      return status.conditions?.find((condition) => condition.type === type) as Condition | undefined;
    },
    /** `kubectl patch --type=merge`; null takes a member away. */
    async patch(spec: object): Promise<void> {
      await kubectl('patch', 'svcinstance', name, '--type=merge', '--patch', JSON.stringify({ spec }));
    },
    /** `kubectl wait --for=condition=Ready`; an error says what it was waiting for. */
    async ready(): Promise<void> {
      const wait = ['wait', `svcinstance/${name}`, '--for=condition=Ready', `--timeout=${READY_MS / 1000}s`];
      await kubectl(...wait).catch(async (error: { stderr: string }) => {
        const what = [`svcinstance/${name}`, 'pods', 'events'];
        const found = await Promise.all(what.map((each) => kubectl('describe', each).catch(String)));
        throw new Error(`${error.stderr}\n${found.join('\n')}`);
      });
    },
    /** Pods that are not on their way out, of one component or of all. */
    async pods(component?: string): Promise<Pod[]> {
      const which = component === undefined ? '' : `,app.kubernetes.io/component=${component}`;
      const { items } = await get<{ items: Pod[] }>('pods', '-l', `app.kubernetes.io/instance=${name}${which}`);
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
    /** Resolves when these pods have ended. Until then the front may ask them. */
    async ended(pods: readonly Pod[]): Promise<void> {
      const names = pods.map(({ metadata }) => `pod/${metadata.name}`);
      await kubectl('wait', '--for=delete', `--timeout=${READY_MS / 1000}s`, ...names);
    },
    /** Value of a key of a Secret. */
    async secret(secret: string, key: string): Promise<string> {
      const { data } = await get<{ data: Record<string, string> }>('secret', secret);
      return Buffer.from(data[key] ?? '', 'base64').toString();
    },
  };
}

/** Waits for a condition with this status, and with this reason if there is one. */
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
