import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import { expect } from 'chai';
import { desired } from '../../../../cmd/controller/desired/index.ts';
import type { Situation } from '../../../../cmd/controller/desired/types.ts';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { Client, KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { createDocbuilderSizes, type DocbuilderSizes } from '../../../../cmd/controller/reconcile/docbuilder-size.ts';
import { APPLIED_HASH, hashOf } from '../../../../cmd/controller/reconcile/hash.ts';
import { createOwnedCache, type OwnedCache } from '../../../../cmd/controller/reconcile/owned.ts';
import { enterprise, situationOf } from '../desired/situation.ts';

type Deployment = V1Deployment & KubernetesObject;

const SMALL = situationOf({ license: enterprise(100) });
const LARGE = situationOf({ license: enterprise(200) });
const TOLD = { workers: 2, memory: '4992Mi' };

const isDocbuilder = ({ kind, metadata }: KubernetesObject) =>
  kind === 'Deployment' && metadata.name === 'office-docbuilder';
const deploymentOf = (objects: readonly KubernetesObject[]) => objects.find(isDocbuilder) as Deployment;
const limitOf = (objects: readonly KubernetesObject[]) =>
  deploymentOf(objects).spec?.template.spec?.containers[0]?.resources?.limits?.['memory'];

describe("DocBuilder's size in a cluster", () => {
  let owned: OwnedCache;
  let asked: string[];
  let refusal: ApiError | undefined;
  let sizes: DocbuilderSizes;

  beforeEach(() => {
    owned = createOwnedCache();
    asked = [];
    refusal = undefined;
    made(SMALL);
    const container = deploymentOf(desired(SMALL)).spec?.template.spec?.containers[0];
    const pod = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod', namespace: 'documents' } },
      ...{ spec: { containers: [container] }, status: { phase: 'Running' } },
    } as V1Pod & KubernetesObject;
    const client = {
      async list() {
        asked.push('list');
        return { metadata: { resourceVersion: '1' }, items: [pod] };
      },
      async apply(_: unknown, object: KubernetesObject) {
        asked.push('resize');
        if (refusal) throw refusal;
        return object;
      },
    } as unknown as Client;
    sizes = createDocbuilderSizes({ client, owned });
  });

  /** As it was applied for a situation. */
  function made(situation: Situation): void {
    const object = deploymentOf(desired(situation));
    const annotations = { ...object.metadata.annotations, [APPLIED_HASH]: hashOf(object) };
    owned.seen({ ...object, metadata: { ...object.metadata, annotations, uid: 'u', resourceVersion: '1' } });
  }

  it('is looked at only where another one is wanted than was told, or made', async () => {
    await sizes.look(SMALL, TOLD);
    expect(asked).to.deep.equal([]);
    await sizes.look(LARGE, TOLD);
    await sizes.look(SMALL, { workers: 4, memory: '9Gi' });
    expect(asked).to.deep.equal(['list', 'list']);
  });

  it('leaves the template as it was made, and gives the pod the new one', async () => {
    const found = await sizes.look(LARGE, TOLD);
    expect(limitOf(sizes.objects(LARGE, found))).to.equal('4992Mi');
    expect(await sizes.fit(LARGE, found)).to.deep.equal({ waits: true });
    expect(asked).to.deep.equal(['list', 'resize']);
  });

  it('is that of the day as soon as anything else is to change', async () => {
    const other = situationOf({ license: enterprise(200), spec: { docbuilder: { workerMaxJobs: 7 } } });
    expect(limitOf(sizes.objects(other, await sizes.look(other, TOLD)))).to.equal('9Gi');
  });

  it('goes into the template where the API server cannot resize pods, and it is asked once', async () => {
    refusal = new ApiError('PATCH /x', { status: 404, message: 'the server could not find the requested resource' });
    const found = await sizes.look(LARGE, TOLD);
    expect(await sizes.fit(LARGE, found)).to.deep.equal({ waits: true });
    expect(limitOf(sizes.objects(LARGE, found))).to.equal('9Gi');
  });

  it('stays where it is refused, and says so; a pod that has gone meanwhile is none of that', async () => {
    const found = await sizes.look(LARGE, TOLD);
    refusal = new ApiError('PATCH /x', { status: 403, reason: 'Forbidden', message: 'exceeded quota' });
    const { note, waits } = await sizes.fit(LARGE, found);
    expect(waits).to.equal(true);
    expect(note).to.match(/^Pod pod cannot be resized: .*exceeded quota\. DocBuilder goes on with the workers/);
    refusal = new ApiError('PATCH /x', { status: 404, reason: 'NotFound', message: 'pods "pod" not found' });
    expect(await sizes.fit(LARGE, found)).to.deep.equal({ waits: true });
    expect(limitOf(sizes.objects(LARGE, found))).to.equal('4992Mi');
  });
});
