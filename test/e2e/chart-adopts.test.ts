import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { type ApiServer, apiServerMissing, startApiServer } from '../support/api-server.ts';
import { CHART, environmentOf, helm, helmMissing, render } from '../support/helm.ts';
import { writeTokenKubeconfig } from '../support/kubeconfig.ts';
import { established } from '../support/kubectl.ts';
import { spawnMain } from '../support/process.ts';
import { until } from '../support/until.ts';

const root = resolve(import.meta.dirname, '../..');
const EXAMPLE = join(root, 'docs/examples/community.yaml');

// As OpenShift has it: who makes himself the owner of an object must have the right to delete it.
describe('the chart on an API server that enforces owner references', function () {
  this.timeout(120_000);
  let server: ApiServer;
  let home: string;
  let controller: ReturnType<typeof spawnMain> | undefined;

  before(async function () {
    if (helmMissing() ?? apiServerMissing()) this.skip();
    home = await mkdtemp(join(tmpdir(), 'svc-helm-'));
    server = await startApiServer(['--enable-admission-plugins=OwnerReferencesPermissionEnforcement']);
    await run('install', 'svc', CHART, '--create-namespace');
    await established(server.kubectl, 'svcinstances.svc.internal');
    const kubeconfig = join(home, 'controller.kubeconfig');
    const token = await server.kubectl(['create', 'token', 'svc-controller', '--namespace', 'svc-system']);
    await writeTokenKubeconfig(kubeconfig, { server: server.url, authority: server.ca, token: token.trim() });
    controller = spawnMain(join(root, 'cmd/controller/main.ts'), {
      ...environmentOf(await render()),
      SVC_CONTROLLER_LISTEN: '127.0.0.1:0',
      SVC_CONTROLLER_LEASE_NAMESPACE: 'svc-system',
      SVC_CONTROLLER_CLUSTER_DNS: '10.96.0.10',
      KUBECONFIG: kubeconfig,
    });
    await server.kubectl(['apply', '-f', EXAMPLE]);
    await ready('Progressing');
    // As `kubectl delete --cascade=orphan` does, where there is a garbage collector.
    for (const object of ['secret/office-secrets', 'service/office-gate']) {
      await server.kubectl(['patch', object, '--type=merge', '-p', '{"metadata":{"ownerReferences":null}}']);
    }
  });
  after(async () => {
    controller?.child.kill('SIGKILL');
    await server?.stop();
    if (home) await rm(home, { recursive: true });
  });

  const run = (...parameters: string[]) =>
    helm([...parameters, '--namespace', 'svc-system'], { HOME: home, KUBECONFIG: server.kubeconfig });

  /** The message of `Ready` once it has that reason. */
  function ready(reason: string): Promise<string> {
    const path = '{range .status.conditions[?(@.type=="Ready")]}{.reason} {.message}{end}';
    return until(
      `Ready has the reason ${reason}`,
      async () => {
        const told = await server.kubectl(['get', 'svci', 'office', '-o', `jsonpath=${path}`]);
        return told.startsWith(`${reason} `) ? told : undefined;
      },
      60_000,
    );
  }

  it('says what it needs to take back what has lost its owner', async () => {
    expect(await ready('Refused')).to.include('To adopt it, the controller needs rbac.adopt=true in its chart.');
  });

  it('takes it back with that right', async () => {
    await run('upgrade', 'svc', CHART, '--set', 'rbac.adopt=true');
    await ready('Progressing');
    const owners = [
      'get',
      'secret/office-secrets',
      'service/office-gate',
      '-o',
      'jsonpath={..ownerReferences[*].name}',
    ];
    expect(await server.kubectl(owners)).to.equal('office office');
  });
});
