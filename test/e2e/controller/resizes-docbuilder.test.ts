import { isDeepStrictEqual } from 'node:util';
import type { V1Container, V1Pod } from '@kubernetes/client-node';
import { expect } from 'chai';
import { findResource, type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { PODS } from '../../../cmd/controller/reconcile/pods.ts';
import { getCondition, isTrue, startOffice, useTestCluster } from '../../support/controller.ts';
import { minorVersion } from '../../support/kubectl.ts';
import { until } from '../../support/until.ts';

type Pod = V1Pod & KubernetesObject;

const LICENCE = { license: { secretName: 'svc-license' } };
const OF_TWO = { requests: { cpu: '1', memory: '1536Mi' }, limits: { cpu: '3', memory: '4992Mi' } };
const OF_FOUR = { requests: { cpu: '2', memory: '2560Mi' }, limits: { cpu: '5', memory: '9Gi' } };

/** The API server is real, the kubelet is played: it grants what a pod's spec has when the test says so. */
describe('the controller resizes DocBuilder as it runs', function () {
  this.timeout(60_000);
  let made: number | undefined;
  const cluster = useTestCluster(async (cluster, context) => {
    await startOffice(cluster);
    await cluster.apply('office', LICENCE);
    await rotate(100);
    // Pods of the Community plan are made anew, as with another image.
    await cluster.apply('office', { ...LICENCE, docbuilder: { workerMaxJobs: 100 } });
    await until('made for two', async () => same((await template()).resources, OF_TWO));
    await startPod();
    await cluster.completeDeployments();
    await cluster.settled('office', isTrue('Ready'));
    made = (await deployment()).metadata.generation;
    if ((await minorVersion(cluster.server.kubectl)) < 33) {
      await rotate(200);
      await until('made for four, as no pod can be resized', async () => same((await template()).resources, OF_FOUR));
      context.skip();
    }
  });

  const same = isDeepStrictEqual;
  async function rotate(conns: number): Promise<void> {
    await cluster.putSecret('svc-license', { token: await cluster.license(conns) });
    await cluster.settled('office', ({ status }) => status?.license?.connections === conns);
  }
  const deployment = () => cluster.deployment('office-docbuilder');
  const template = async () => (await deployment()).spec?.template.spec?.containers[0] as V1Container;
  async function pod(): Promise<Pod> {
    const found = await cluster.object<Pod>(PODS, 'docbuilder-pod');
    if (!found) throw new Error('no pod');
    return found;
  }
  const readSize = async () => {
    const { requests, limits } = (await pod()).spec?.containers[0]?.resources ?? {};
    return { requests, limits };
  };
  async function workers(): Promise<string | undefined> {
    const map = await cluster.object<KubernetesObject & { data?: Record<string, string> }>(
      RESOURCES.configMap,
      'office-docbuilder',
    );
    return map?.data?.['workers'];
  }

  async function startPod(): Promise<void> {
    const { metadata, spec } = (await deployment()).spec?.template ?? {};
    const { namespace } = cluster;
    // The account that admission asks for is nobody's here.
    const { serviceAccountName: _, ...rest } = spec ?? {};
    await cluster.client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'docbuilder-pod', namespace, labels: metadata?.labels },
      spec: { ...rest, serviceAccountName: 'office-docbuilder' },
    } as unknown as Pod);
    await grant();
  }

  /** Writes the kubelet's status: the pod has what its spec says. */
  async function grant(conditions: object[] = [], resources?: object): Promise<void> {
    const { spec, metadata } = await pod();
    const [container] = spec?.containers ?? [];
    const { namespace } = cluster;
    const now = new Date().toISOString();
    const status = {
      phase: 'Running',
      conditions: conditions.map((condition) => ({ ...condition, status: 'True', lastTransitionTime: now })),
      containerStatuses: [
        {
          ...{ name: 'docbuilder', image: container?.image, imageID: 'x', ready: true, restartCount: 0, started: true },
          state: { running: { startedAt: now.replace(/\.\d+/, '') } },
          resources: resources ?? container?.resources,
        },
      ],
    };
    const { name } = metadata;
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, status };
    await cluster.client.apply(PODS, object as KubernetesObject, { manager: 'kubelet', subresource: 'status' });
  }

  it('a larger licence: the pod gets more, its template stays, and workers come when it has it', async () => {
    expect(await workers()).to.equal('2');
    await rotate(200);
    await until('the pod is to be larger', async () => same(await readSize(), OF_FOUR));
    await grant([{ type: 'PodResizePending', reason: 'Infeasible', message: 'Node has no memory' }], OF_TWO);
    const message = /docbuilder-pod has no room for its new size: Node has no memory/;
    const { status } = await cluster.settled('office', (found) =>
      message.test(getCondition(found, 'Ready')?.message ?? ''),
    );
    expect(status?.docbuilder).to.include({ workers: 2 });
    expect(await workers()).to.equal('2');
    await grant();
    await until('four workers', async () => (await workers()) === '4');
    await cluster.settled('office', ({ status: now }) => now?.docbuilder?.workers === 4);
    expect((await deployment()).metadata.generation).to.equal(made);
  });

  it('a smaller one: fewer workers at once, and only what is reserved shrinks', async () => {
    await rotate(100);
    await until('two workers', async () => (await workers()) === '2');
    await until('less is reserved', async () =>
      same(await readSize(), { requests: OF_TWO.requests, limits: OF_FOUR.limits }),
    );
    await grant();
    expect((await deployment()).metadata.generation).to.equal(made);
  });

  it('whatever others make of the size in the template goes', async () => {
    const before = await template();
    for (const limits of [{ cpu: '7', memory: '9Gi' }, {}]) {
      const live = await deployment();
      const [container] = live.spec?.template.spec?.containers ?? [];
      if (container?.resources) container.resources = { ...container.resources, limits };
      await cluster.client.replace(findResource(live), live);
      await until('as it was', async () => same((await template()).resources, before.resources ?? {}));
    }
  });

  it('another setting makes the pod anew, with the size of the day', async () => {
    await rotate(200);
    await until('the pod is to be larger', async () => same((await readSize()).requests, OF_FOUR.requests));
    await cluster.apply('office', { ...LICENCE, docbuilder: { workerMaxJobs: 101 } });
    await until('made for four', async () => same((await template()).resources, OF_FOUR));
  });

  it('resources of the spec stay what they are, for any number of workers', async () => {
    const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '3Gi' } };
    await cluster.apply('office', { ...LICENCE, docbuilder: { pod: { resources } } });
    await until('as in the spec', async () => same((await template()).resources?.limits, resources.limits));
    const { generation } = (await deployment()).metadata;
    const { resourceVersion } = (await pod()).metadata;
    await rotate(500);
    await until('ten workers', async () => (await workers()) === '10');
    expect((await deployment()).metadata.generation).to.equal(generation);
    expect((await pod()).metadata.resourceVersion).to.equal(resourceVersion);
  });
});
