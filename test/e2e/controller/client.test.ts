import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../cmd/controller/k8s/api-error.ts';
import { ApiClient } from '../../../cmd/controller/k8s/client.ts';
import { withProxy } from '../../../cmd/controller/k8s/kube-config.ts';
import { buildStatus, sameStatus } from '../../../cmd/controller/reconcile/status.ts';
import { NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { docbuilderPlan } from '../../../src/common/plan.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { useTestCluster } from '../../support/controller.ts';
import { readKubeConfig } from '../../support/kubeconfig.ts';
import { until } from '../../support/until.ts';
import { enterprise, makeSituation } from '../../unit/controller/desired/situation.ts';
import { mirror } from '../../unit/controller/k8s/mirror.ts';

const GUIDE = readFileSync(resolve(import.meta.dirname, '../../../docs/kubernetes.md'), 'utf8');
const ONLY_NEW = { manager: 'one', onlyNew: true };

describe("the controller's client of an API server", function () {
  this.timeout(60_000);
  const cluster = useTestCluster(async () => undefined);

  const configMap = (name: string, data: Record<string, string>): KubernetesObject & { data: object } => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: cluster.namespace } },
    data,
  });
  const read = (name: string) => cluster.object<ReturnType<typeof configMap>>(RESOURCES.configMap, name);

  it('leaves alone, of those that must be new, the ones that are there, whoever made them', async () => {
    for (const [name, make] of [
      ['created', (object: KubernetesObject) => cluster.client.create(RESOURCES.configMap, object)],
      ['applied', (object: KubernetesObject) => cluster.client.apply(RESOURCES.configMap, object, { manager: 'one' })],
    ] as const) {
      const before = await make(configMap(name, { a: '1' }));
      const refused = await cluster.client
        .apply(RESOURCES.configMap, configMap(name, { a: '2' }), ONLY_NEW)
        .catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(ApiError).that.includes({ status: 409, reason: 'Conflict' });
      expect(await read(name)).to.deep.equal(before);
    }
  });

  it('asks and watches through a proxy, with the certificate of the API server', async () => {
    const { server, namespace } = cluster;
    const { host, port } = new URL(server.url);
    const proxy = await startConnectProxy({ [host]: Number(port) });
    const client = new ApiClient(withProxy(readKubeConfig(server.kubeconfig), { HTTPS_PROXY: proxy.url.href }));
    const seen = mirror(client, { selection: { namespace } });
    try {
      await seen.reflector.synced;
      await client.create(RESOURCES.configMap, configMap('proxied', {}));
      await until('it is seen', () => seen.told().includes('ADDED proxied') || undefined);
      expect(new Set(proxy.asked)).to.deep.equal(new Set([host]));
      expect(proxy.asked.length).to.be.at.least(2);
    } finally {
      seen.reflector.stop();
      client.close();
      await proxy.close();
    }
  });

  it("sees nothing of a licence that was renewed by the guide's command, where it asks for metadata alone", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-metadata-'));
    const [, create = '', apply = ''] =
      /^kubectl -n office (create secret .*) \\\n {2}\| kubectl -n office (apply .*)$/m.exec(GUIDE) ?? [];
    const file = join(folder, 'new.jwt');
    const run = (command: string, stdin?: string) =>
      cluster.server.kubectl(['-n', cluster.namespace, ...command.replace('new.jwt', file).split(' ')], stdin);
    await writeFile(file, await cluster.license(50));
    await run(create.replace(' --dry-run=client -o yaml', ''));
    const renewed = await cluster.license(120);
    await writeFile(file, renewed);
    await run(apply, await run(create));
    await rm(folder, { recursive: true });

    const data = Buffer.from(renewed).toString('base64');
    expect(JSON.stringify(await cluster.object(RESOURCES.secret, 'svc-license'))).to.include(data);
    const { namespace } = cluster;
    const { items } = await cluster.client.list(RESOURCES.secret, { namespace, metadataOnly: true });
    expect(items.map(({ metadata }) => metadata.name)).to.include('svc-license');
    expect(JSON.stringify(items)).not.to.include(data);
  });

  it('reads a status back as it was written, whatever licence follows on another: else it would be contested', async () => {
    await cluster.apply('office');
    const { apiVersion, kind } = RESOURCES.svcInstance;
    const metadata = { name: 'office', namespace: cluster.namespace };
    const manager = { manager: 'svc-controller-status', subresource: 'status' } as const;
    for (const features of [
      ...[['api_full', 'callback'], [], undefined, [], ['callback', 'api_full'], ['api_full', 'callback'], ['a', 'a']],
      [`${'a'.repeat(127)}\u{1f600}`, `${'a'.repeat(128)}b`, `${'a'.repeat(128)}c`],
      Array.from({ length: 100 }, (_, index) => `feature-${index}`),
      undefined,
    ]) {
      const status = statusFor(features);
      await cluster.client.apply(RESOURCES.svcInstance, { apiVersion, kind, metadata, status } as never, manager);
      const found = (await cluster.get('office')).status ?? {};
      expect(sameStatus(found, status), `${JSON.stringify(features)}: ${JSON.stringify(found.license)}`).to.equal(true);
    }
  });
});

function statusFor(features: string[] | undefined) {
  const license = features ? enterprise(100) : NO_LICENSE;
  if (features && license.claims) license.claims.features = features;
  const situation = { ...makeSituation({ license }), plan: docbuilderPlan(license) };
  const components = { gate: {}, docbuilder: {}, editor: {}, front: {} };
  return buildStatus({
    ...{ situation, previous: {}, components, extent: 'everything', licensed: true, isApplied: () => true, now: 0 },
    findings: [{ type: 'Ready', status: 'True', reason: 'AllAvailable', message: license.claims?.sub ?? 'None.' }],
  });
}
