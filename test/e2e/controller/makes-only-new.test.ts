import { expect } from 'chai';
import { ApiError } from '../../../cmd/controller/k8s/api-error.ts';
import { RESOURCES } from '../../../cmd/controller/k8s/resources.ts';
import type { KubernetesObject } from '../../../cmd/controller/k8s/types.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';

describe('an apply of what must be new', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  const onlyNew = { manager: 'one', onlyNew: true };

  before(async function () {
    cluster = await startTestCluster(this);
  });
  after(() => cluster?.close());

  const configMap = (name: string, data: Record<string, string>): KubernetesObject & { data: object } => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: cluster.namespace },
    data,
  });
  const read = (name: string) => cluster.object<ReturnType<typeof configMap>>(RESOURCES.configMap, name);

  it('makes what is not there, and owns what it has set', async () => {
    await cluster.client.apply(RESOURCES.configMap, configMap('fresh', { a: '1', b: '2' }), onlyNew);
    await cluster.client.apply(RESOURCES.configMap, configMap('fresh', { a: '3' }), { manager: 'one' });
    expect((await read('fresh'))?.data).to.deep.equal({ a: '3' });
  });

  it('leaves alone what is there, whoever made it', async () => {
    for (const [name, make] of [
      ['created', (object: KubernetesObject) => cluster.client.create(RESOURCES.configMap, object)],
      ['applied', (object: KubernetesObject) => cluster.client.apply(RESOURCES.configMap, object, { manager: 'one' })],
    ] as const) {
      const before = await make(configMap(name, { a: '1' }));
      const error = await cluster.client.apply(RESOURCES.configMap, configMap(name, { a: '2' }), onlyNew).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(ApiError).that.includes({ status: 409, reason: 'Conflict' });
      expect(await read(name)).to.deep.equal(before);
    }
  });

  it('makes one of ten that come at the same time', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        cluster.client.apply(RESOURCES.configMap, configMap('raced', { by: String(index) }), {
          manager: `manager-${index}`,
          onlyNew: true,
        }),
      ),
    );
    expect(tries.map(({ status }) => status).filter((status) => status === 'fulfilled')).to.have.lengthOf(1);
    const winner = tries.findIndex(({ status }) => status === 'fulfilled');
    expect((await read('raced'))?.data).to.deep.equal({ by: String(winner) });
  });
});
