import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { type Office, officeFor } from './support/office.ts';
import { SYSTEM } from './support/release.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('on a cluster: installs', function () {
  this.timeout(120_000);
  let office: Office;

  before(async function () {
    office = await officeFor(this);
  });

  it('helm install says what to do next, and helm test passes', async () => {
    expect(office.notes).to.include('STATUS: deployed').and.to.include('helm test svc');
    const told = await office.release.helm('test', 'svc', '--timeout', '90s').catch(async ({ stderr }) => {
      throw new Error(`${stderr}${await office.cluster.kubectl(['logs', '-n', SYSTEM, 'svc-test'])}`);
    });
    expect(told).to.match(/svc-test\n.*\n.*\nPhase: +Succeeded/);
  });

  it('the API server takes the examples as they are', async () => {
    for (const name of ['community', 'enterprise', 'own-edge']) {
      const text = readFileSync(resolve(ROOT, `docs/examples/${name}.yaml`), 'utf8');
      const said = await office.cluster.kubectl(
        ['create', '--dry-run=server', '--namespace', 'default', '-f', '-'],
        text,
      );
      expect(said).to.equal('svcinstance.svc.internal/office created (server dry run)\n');
    }
  });

  it('an instance becomes Ready, and its status says what it is', async () => {
    expect(office.readyMs).to.be.below(240_000);
    const { metadata, status } = await office.instance();
    expect(status.observedGeneration).to.equal(metadata.generation);
    expect(status).to.deep.include({ edition: 'Community', baseUrl: office.outside.url });
    expect(status.docbuilder).to.include({ workers: 1 });
    expect(status.plan).to.include({ connections: 50 });
    expect(status.replicas).to.deep.equal({
      gate: { desired: 1, ready: 1 },
      docbuilder: { desired: 1, ready: 1 },
      editor: { desired: 1, ready: 1 },
      front: { desired: 2, ready: 2 },
    });
    const conditions = status.conditions?.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
    expect(conditions).to.have.members([
      'Ready=True AllAvailable',
      'GateAvailable=True Available',
      'DocBuilderAvailable=True Available',
      'EditorAvailable=True Available',
      'FrontAvailable=True Available',
      'EdgeReady=True Accepted',
      'LicenseValid=True NoLicense',
      'Paused=False NotAsked',
    ]);
  });

  it('kubectl get shows it, by its short name as well', async () => {
    const rows = async (...flags: string[]) =>
      (await office.kubectl('get', 'svci', ...flags))
        .split('\n')
        .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()));
    const [titles, cells] = await rows();
    expect(titles).to.deep.equal(['NAME', 'READY', 'REASON', 'EDITION', 'CONNECTIONS', 'WORKERS', 'HOST', 'AGE']);
    expect(cells?.slice(0, -1)).to.deep.equal(['office', 'True', 'AllAvailable', 'Community', '50', '1', 'localhost']);
    expect((await rows('-o', 'wide'))[0]).to.include.members(['VERSION', 'EDITOR']);
  });

  it('kubectl explain has a text for the fields', async () => {
    const text = await office.kubectl('explain', 'svcinstance.spec.docbuilder');
    const fields = [...text.matchAll(/^ {2}(\w+)\t<.*>\n(?: {2}enum: .*\n)?((?: {4}.*\n)*)/gm)];
    expect(fields.map(([, name]) => name)).to.include.members(['workers', 'jobTimeoutSeconds', 'pod', 'sandbox']);
    for (const [, name, description = ''] of fields) {
      expect(description.trim(), name)
        .to.match(/^\S.{15}/s)
        .and.not.include('<no description>');
    }
  });

  it('works where Pod Security is enforced: restricted for the controller, baseline for instances', async () => {
    const enforced = async (namespace: string) => {
      const path = 'jsonpath={.metadata.labels.pod-security\\.kubernetes\\.io/enforce}';
      return office.cluster.kubectl(['get', 'namespace', namespace, '--output', path]);
    };
    expect([await enforced(SYSTEM), await enforced('office')]).to.deep.equal(['restricted', 'baseline']);
  });

  it('the controller was refused nothing', async () => {
    const bad = (await office.release.log()).filter(({ level }) => !['debug', 'info'].includes(level));
    expect(bad).to.deep.equal([]);
  });
});
