import { expect } from 'chai';
import { isShared } from '../../support/test-store.ts';
import { type Office, officeFor } from './support/office.ts';
import { type Line, SYSTEM } from './support/release.ts';

/** By default. */
const GATES = isShared ? 2 : 1;

/** Pod Security is enforced: restricted for the controller, baseline for instances. */
describe('on a cluster: installs', function () {
  this.timeout(120_000);
  let office: Office;

  before(async function () {
    office = await officeFor(this);
  });

  it('helm install says what to do next, and helm test passes', async () => {
    expect(office.notes).to.include('STATUS: deployed').and.to.include('helm test svc');
    const output = await office.release.helm('test', 'svc', '--timeout', '90s').catch(async ({ stderr }) => {
      throw new Error(`${stderr}${await office.cluster.kubectl(['logs', '-n', SYSTEM, 'svc-test'])}`);
    });
    expect(output).to.match(/svc-test\n.*\n.*\nPhase: +Succeeded/);
  });

  it('an instance becomes Ready, and its status says what it is', async () => {
    expect(office.readyMs).to.be.below(240_000);
    const { metadata, status } = await office.instance();
    expect(status.observedGeneration).to.equal(metadata.generation);
    expect(status).to.deep.include({ edition: 'Community', baseUrl: office.outside.url });
    expect(status.docbuilder).to.include({ workers: 1 });
    expect(status.plan).to.include({ connections: 50 });
    expect(status.replicas).to.deep.equal({
      gate: { desired: GATES, ready: GATES },
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
      ...(isShared ? ['StorageReady=True Accepted'] : []),
      'LicenseValid=True NoLicense',
      'Paused=False NotAsked',
    ]);
  });

  it('nobody is said to have changed the claims, which get their class and volume from Kubernetes', async () => {
    const ofClaims = 'reason=Repaired,involvedObject.kind=PersistentVolumeClaim';
    expect(await office.kubectl('get', 'events', '--field-selector', ofClaims, '--output', 'name')).to.equal('');
  });

  it('the controller was refused nothing', async () => {
    const bad = (await office.release.log()).filter(({ level }) => !['debug', 'info'].includes(level));
    // Instances of other tests are deleted while they are looked at, and a slow API server answers late or is not ready.
    // Any other 500 counts: the API server also answers so to a malformed apply.
    const isLate = ({ msg, err }: Line) => err?.code === 'ETIMEDOUT' || msg === 'the API server cannot be reached';
    expect(bad.filter((line) => line.err?.reason !== 'NotFound' && !isLate(line))).to.deep.equal([]);
  });
});
