import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../../../cmd/controller/k8s/connect.ts';
import { TEST_TLS } from '../../../support/tls.ts';

describe('k8s: connection', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-connection-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

  describe('from inside of a cluster', () => {
    const environment = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

    beforeEach(async () => {
      await Promise.all([write('token', 'first-token\n'), write('ca.crt', 'pem\n'), write('namespace', 'svc-system')]);
    });

    it('is what the pod was given', async () => {
      const connection = await connect(environment, { folder });
      expect(connection).to.include({ server: 'https://10.96.0.1:443', namespace: 'svc-system' });
      expect(await connection.credentials()).to.deep.equal({ authorization: 'Bearer first-token', ca: 'pem' });
    });

    it('knows IPv6', async () => {
      const connection = await connect({ KUBERNETES_SERVICE_HOST: 'fd00::1' }, { folder });
      expect(new URL(connection.server).host).to.equal('[fd00::1]');
    });

    it('has the newest token and authority, and keeps the last ones while there are none', async () => {
      const { credentials } = await connect(environment, { folder });
      await write('token', 'second-token');
      await write('ca.crt', 'new pem');
      expect(await credentials()).to.deep.equal({ authorization: 'Bearer second-token', ca: 'new pem' });
      await write('token', '');
      expect((await credentials()).authorization).to.equal('Bearer second-token');
      await rm(join(folder, 'token'));
      expect((await credentials()).authorization).to.equal('Bearer second-token');
      await write('token', 'third-token');
      expect((await credentials()).authorization).to.equal('Bearer third-token');
    });

    it('fails at once where the pod has no token', async () => {
      await rm(join(folder, 'token'));
      expect(await failure(connect(environment, { folder }))).to.contain('ENOENT');
    });
  });

  describe('from a kubeconfig', () => {
    const certificate = Buffer.from(TEST_TLS.cert).toString('base64');

    async function withConfig(cluster: object, user: object = {}, name = 'config'): Promise<string> {
      const config = {
        clusters: [{ name, cluster: { server: 'https://127.0.0.1:6443/', ...cluster } }],
        users: [{ name, user }],
        contexts: [{ name, context: { cluster: name, user: name, namespace: 'mine' } }],
        'current-context': name,
      };
      await write(name, JSON.stringify(config));
      return join(folder, name);
    }

    it('is the current context, with certificates as data or as files beside it', async () => {
      await write('client.crt', 'client certificate');
      const user = { 'client-certificate': 'client.crt', 'client-key-data': Buffer.from('key').toString('base64') };
      const cluster = { 'certificate-authority-data': certificate, 'tls-server-name': 'secure.test' };
      const connection = await connect({ KUBECONFIG: await withConfig(cluster, user) });
      expect(connection).to.include({ server: 'https://127.0.0.1:6443', namespace: 'mine' });
      expect(await connection.credentials()).to.deep.equal({
        ca: TEST_TLS.cert,
        cert: 'client certificate',
        key: 'key',
        servername: 'secure.test',
      });
    });

    it('goes before the cluster that the process is in, and the first of several is current', async () => {
      const first = await withConfig({}, { token: 'my-token' });
      const second = await withConfig({ server: 'https://other' }, {}, 'other');
      const connection = await connect({ KUBECONFIG: `${first}:${second}`, KUBERNETES_SERVICE_HOST: 'x' });
      expect(connection.server).to.equal('https://127.0.0.1:6443');
      expect(await connection.credentials()).to.deep.equal({ authorization: 'Bearer my-token' });
    });

    for (const [what, cluster, user, message] of [
      ['not to check certificates', { 'insecure-skip-tls-verify': true }, {}, 'insecure-skip-tls-verify'],
      ['to use a proxy', { 'proxy-url': 'http://proxy' }, {}, 'proxy-url'],
      ['to be somebody else', {}, { as: 'somebody' }, 'impersonates'],
    ] as const) {
      it(`attack: is refused where it says ${what}`, async () => {
        const file = await withConfig(cluster, user);
        expect(await failure(connect({ KUBECONFIG: file }))).to.contain(message);
      });
    }

    it('says which file is missing', async () => {
      expect(await failure(connect({ KUBECONFIG: join(folder, 'nowhere') }))).to.contain('nowhere');
    });
  });

  it('says what is missing where there is neither', async () => {
    expect(await failure(connect({}))).to.match(/KUBECONFIG.*KUBERNETES_SERVICE_HOST/);
  });
});

async function failure(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'did not fail',
    (error: Error) => error.message,
  );
}
