import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { RESOURCES } from '../../../cmd/controller/k8s/resources.ts';
import type { KubernetesObject } from '../../../cmd/controller/k8s/types.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';

const GUIDE = readFileSync(resolve(import.meta.dirname, '../../../docs/kubernetes.md'), 'utf8');

describe('the metadata of Secrets, which is all that the controller watches', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let folder: string;

  before(async function () {
    cluster = await startTestCluster(this);
    folder = await mkdtemp(join(tmpdir(), 'svc-metadata-'));
  });
  after(async () => {
    await cluster?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("holds nothing of a licence that was renewed by the guide's command", async () => {
    const [, create = '', apply = ''] =
      /^kubectl -n office (create secret .*) \\\n {2}\| kubectl -n office (apply .*)$/m.exec(GUIDE) ?? [];
    const file = join(folder, 'new.jwt');
    const run = async (command: string, stdin?: string) => {
      const words = command.replace('new.jwt', file).split(' ');
      return cluster.server.kubectl(['-n', cluster.namespace, ...words], stdin);
    };
    await writeFile(file, await cluster.license(50));
    await run(create.replace(' --dry-run=client -o yaml', ''));
    const renewed = await cluster.license(120);
    await writeFile(file, renewed);
    await run(apply, await run(create));

    const secret = await cluster.object<KubernetesObject>(RESOURCES.secret, 'svc-license');
    const data = Buffer.from(renewed).toString('base64');
    expect(JSON.stringify(secret)).to.include(data);
    const { items } = await cluster.client.list(RESOURCES.secret, {
      namespace: cluster.namespace,
      metadataOnly: true,
    });
    expect(items.map(({ metadata }) => metadata.name)).to.include('svc-license');
    expect(JSON.stringify(items)).not.to.include(data);
  });
});
