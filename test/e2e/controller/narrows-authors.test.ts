import { expect } from 'chai';
import { type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { useTestCluster } from '../../support/controller.ts';

const SNIPPET = 'nginx.ingress.kubernetes.io/server-snippet';
const PASSWORD = 'the password of the payroll';

describe('an author of instances becomes no more than that', function () {
  this.timeout(60_000);
  const cluster = useTestCluster();

  it('with annotations: nothing is written until they are gone or allowed, and what runs is left alone', async () => {
    await cluster.apply('snippet');
    await cluster.settled('snippet');
    const before = await cluster.versions();
    const spec = { host: 'other.example', ingress: { annotations: { [SNIPPET]: 'return 200;' } } };
    await cluster.apply('snippet', spec);
    await cluster.readyAs('snippet', 'NotAllowed');
    expect((await cluster.condition('snippet', 'Stalled'))?.message).to.equal(
      `spec.ingress.annotations has ${SNIPPET}, which the administrator of this cluster has not allowed: ` +
        "remove it, or have it added to allow.ingressAnnotations in the values of the controller's chart.",
    );
    expect(await cluster.versions()).to.deep.equal(before);

    await cluster.stopController();
    await cluster.startController({}, { SVC_CONTROLLER_ALLOW: 'ingressAnnotations=nginx.ingress.kubernetes.io/*' });
    await cluster.readyAs('snippet', 'Progressing');
    const ingress = await cluster.object<KubernetesObject>(RESOURCES.ingress, 'snippet');
    expect(ingress?.metadata.annotations).to.include({ [SNIPPET]: 'return 200;' });
  });

  it('with the name of a Secret that is not theirs, until it says that it is', async () => {
    await cluster.putSecret('payroll-db', { username: 'payroll-administrator', password: PASSWORD });
    await cluster.apply('console', { editor: { adminSecretName: 'payroll-db' } });
    await cluster.readyAs('console', 'SecretNotMeant');
    expect((await cluster.condition('console', 'Stalled'))?.message).to.include(
      'kubectl label secret payroll-db svc.internal/instance=console',
    );
    expect(await cluster.object(RESOURCES.secret, 'console-secrets')).to.equal(undefined);
    const label = ['label', 'secret', 'payroll-db', 'svc.internal/instance=console', '-n', cluster.namespace];
    await cluster.server.kubectl(label);
    await cluster.readyAs('console', 'Progressing');
    expect(await cluster.secretValues('console-secrets')).to.include({ 'editor-admin-password': PASSWORD });
  });

  it('with a licence that is none: it is copied nowhere, nor quoted', async () => {
    await cluster.putSecret('payroll-db', { username: 'payroll-administrator', password: PASSWORD });
    await cluster.apply('licence', { license: { secretName: 'payroll-db', key: 'password' } });
    const { status } = await cluster.settled('licence');
    expect(await cluster.condition('licence', 'LicenseValid')).to.include({ reason: 'TokenRejected' });
    const made = [...(await cluster.objects())].filter(([name]) => name.includes('/licence'));
    expect(made.map(([name]) => name)).to.include('Secret/licence-license');
    for (const text of [JSON.stringify(status), JSON.stringify(made)]) {
      expect(text).not.to.include(PASSWORD);
      expect(text).not.to.include(Buffer.from(PASSWORD).toString('base64'));
    }
  });
});
