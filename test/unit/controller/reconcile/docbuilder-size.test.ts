import type { V1ContainerStatus, V1Deployment, V1Pod } from '@kubernetes/client-node';
import { expect } from 'chai';
import { desired } from '../../../../cmd/controller/desired/index.ts';
import { docbuilderSizing } from '../../../../cmd/controller/desired/sizing.ts';
import type { Situation } from '../../../../cmd/controller/desired/types.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { ApplyOptions, Client } from '../../../../cmd/controller/k8s/client.ts';
import { DocbuilderResizer } from '../../../../cmd/controller/reconcile/docbuilder-size.ts';
import { OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';
import { SHARED } from '../desired/instances.ts';
import { enterprise, makeSituation } from '../desired/situation.ts';

type Deployment = V1Deployment & KubernetesObject;

const SMALL = makeSituation({ license: enterprise(100) });
const LARGE = makeSituation({ license: enterprise(200) });

/** Fields of a container that the controller applied, as `managedFields` lists them. */
const AMOUNTS = { 'f:cpu': {}, 'f:memory': {} };
const CONTAINER = { 'k:{"name":"docbuilder"}': { 'f:resources': { 'f:requests': AMOUNTS, 'f:limits': AMOUNTS } } };
const SIZE_FIELDS = { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': CONTAINER } } } };

const isDocbuilder = ({ kind, metadata }: KubernetesObject) =>
  kind === 'Deployment' && metadata.name === 'office-docbuilder';
const findDeployment = (objects: readonly KubernetesObject[]) => objects.find(isDocbuilder) as Deployment;
const getLimit = (objects: readonly KubernetesObject[]) =>
  findDeployment(objects).spec?.template.spec?.containers[0]?.resources?.limits?.['memory'];

describe("DocBuilder's size in a cluster", () => {
  let owned: OwnedObjects;
  /** The existing Deployment. */
  let live: KubernetesObject;
  let asked: string[];
  let refusal: ApiError | undefined;
  let client: Client;
  let sizes: DocbuilderResizer;
  let pods: (V1Pod & KubernetesObject)[];

  beforeEach(() => {
    owned = new OwnedObjects();
    asked = [];
    refusal = undefined;
    made(SMALL);
    const container = findDeployment(desired(SMALL)).spec?.template.spec?.containers[0];
    const pod = (name: string) =>
      ({
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'documents' } },
        ...{ spec: { containers: [container] }, status: { phase: 'Running' } },
      }) as V1Pod & KubernetesObject;
    pods = [pod('pod')];
    client = {
      async list() {
        asked.push('list');
        return { metadata: { resourceVersion: '1' }, time: 0, items: pods };
      },
      get: async () => live,
      async apply(_: unknown, object: KubernetesObject, { dryRun }: ApplyOptions) {
        // As the API server counts: a change of the spec is another generation.
        const spec = (one: KubernetesObject) => JSON.stringify((one as Deployment).spec);
        if (dryRun)
          return { ...object, metadata: { ...object.metadata, generation: spec(object) === spec(live) ? 1 : 2 } };
        asked.push(`resize ${object.metadata.name}`);
        if (refusal) throw refusal;
        return object;
      },
    } as unknown as Client;
    sizes = new DocbuilderResizer({ client, owned });
  });

  /** As it was applied for a situation. */
  function made(situation: Situation): void {
    const object = findDeployment(desired(situation));
    const managedFields = [{ manager: 'svc-controller', operation: 'Apply', fieldsV1: SIZE_FIELDS }];
    const metadata = { ...object.metadata, uid: 'u', resourceVersion: '1', generation: 1, managedFields };
    live = { ...object, metadata };
    owned.observe(live);
  }

  /** @returns what a look at the size asks, and what it finds */
  async function look(
    situation: Situation,
  ): Promise<{ asks: string[]; pending: boolean; remark?: string | undefined }> {
    asked = [];
    const found = await sizes.observe(situation);
    const result = await sizes.resize({ ...situation, docbuilder: found.running }, found);
    return { asks: asked, ...result };
  }
  /** As the API server and the kubelet do. */
  function give(pod: V1Pod | undefined, situation: Situation, granted = situation): void {
    const [container] = pod?.spec?.containers ?? [];
    const size = (of: Situation) => docbuilderSizing(of).resources;
    if (container) container.resources = size(situation);
    const status = { name: 'docbuilder', resources: size(granted) } as V1ContainerStatus;
    if (pod?.status) pod.status.containerStatuses = [status];
  }

  it('is looked at once, and again only where another one is wanted', async () => {
    expect(await look(SMALL)).to.deep.equal({ asks: ['list'], pending: false });
    expect(await look(SMALL)).to.deep.equal({ asks: [], pending: false });
    expect(await look(LARGE)).to.deep.equal({ asks: ['list', 'resize pod'], pending: true });
    expect((await look(SMALL)).asks, 'it may have got the other one meanwhile').to.deep.equal(['list']);
    sizes = new DocbuilderResizer({ client, owned });
    expect((await look(SMALL)).asks, 'another controller').to.deep.equal(['list']);
  });

  it('is asked for each time until it is given, where it is refused a pod that is to be as it was made', async () => {
    made(LARGE);
    refusal = new ApiError('PATCH /x', { status: 403, reason: 'Forbidden', message: 'exceeded quota' });
    for (let time = 0; time < 3; time += 1) {
      const { asks, pending, remark } = await look(LARGE);
      expect({ asks, pending }).to.deep.equal({ asks: ['list', 'resize pod'], pending: true });
      expect(remark).to.match(/exceeded quota/);
    }
    refusal = undefined;
    expect(await look(LARGE)).to.deep.equal({ asks: ['list', 'resize pod'], pending: true });
    give(pods[0], LARGE, SMALL);
    expect(await look(LARGE), 'the kubelet has not heard of it').to.deep.equal({ asks: ['list'], pending: true });
    give(pods[0], LARGE);
    expect(await look(LARGE)).to.deep.equal({ asks: ['list'], pending: false });
    expect(await look(LARGE)).to.deep.equal({ asks: [], pending: false });
  });

  it('goes into the template where the API server cannot resize pods, and it is asked once', async () => {
    for (const status of [404, 405]) {
      refusal = new ApiError('PATCH /x', { status, message: 'the server could not find the requested resource' });
      const found = await sizes.observe(LARGE);
      expect(await sizes.resize(LARGE, found)).to.deep.equal({ pending: true });
      expect(getLimit(await sizes.objects(LARGE, found)), `${status}`).to.equal('9Gi');
      sizes = new DocbuilderResizer({ client, owned });
    }
  });

  it('stays where it is refused, and says so; a pod that has gone meanwhile is none of that', async () => {
    const found = await sizes.observe(LARGE);
    refusal = new ApiError('PATCH /x', { status: 403, reason: 'Forbidden', message: 'exceeded quota' });
    const { remark, pending } = await sizes.resize(LARGE, found);
    expect(pending).to.equal(true);
    expect(remark).to.match(/^Pod pod cannot be resized: .*exceeded quota\. DocBuilder goes on with the workers/);
    refusal = new ApiError('PATCH /x', { status: 404, reason: 'NotFound', message: 'pods "pod" not found' });
    expect(await sizes.resize(LARGE, found)).to.deep.equal({ pending: true });
    expect(getLimit(await sizes.objects(LARGE, found))).to.equal('4992Mi');
  });

  for (const [what, status, message] of [
    ['a webhook lets nobody', 400, 'admission webhook "audit.example.com" does not support dry run'],
    [
      'the spec lets nobody',
      500,
      'failed to create typed patch object (x; apps/v1, Kind=Deployment): .spec.x: expected',
    ],
  ] as const) {
    it(`replaces no pod where ${what} try what an apply would change`, () => triedInVain({ status, message }));
  }
  async function triedInVain(answer: ConstructorParameters<typeof ApiError>[1]): Promise<void> {
    const found = await sizes.observe(LARGE);
    const { apply } = client;
    client.apply = (resource, object, options) => {
      if (options.dryRun) throw new ApiError('PATCH /x', answer);
      return apply(resource, object, options);
    };
    expect(getLimit(await sizes.objects(LARGE, found))).to.equal('4992Mi');
    expect(await sizes.resize(LARGE, found)).to.deep.equal({ pending: true });
  }

  it('is given to every pod; workers are what the smallest has memory for, and pods that come are no reason to make others', async () => {
    const shared = (conns: number) => makeSituation({ license: enterprise(conns), spec: { storage: SHARED } });
    made(shared(100));
    const [first] = pods;
    const larger = structuredClone(first) as V1Pod & KubernetesObject;
    larger.metadata.name = 'larger';
    const [container] = larger.spec?.containers ?? [];
    if (container?.resources?.limits) container.resources.limits['memory'] = '9Gi';
    pods.push(larger);
    const situation = shared(800);
    const found = await sizes.observe(situation);
    expect(found.running).to.deep.equal({ memory: 4992, replicas: 1 });
    const wanted = { ...situation, docbuilder: found.running };
    const objects = await sizes.objects(wanted, found);
    expect(getLimit(objects)).to.equal('4992Mi');
    expect(findDeployment(objects).spec?.replicas).to.equal(4);
    expect(
      objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'office-docbuilder'),
    ).to.deep.include({ data: { workers: '2' } });
    expect(await sizes.resize(wanted, found)).to.deep.equal({ pending: true });
    expect(asked).to.deep.equal(['list', 'resize pod', 'resize larger']);
  });
});
