import { expect } from 'chai';
import { download, readLines } from '../../support/stack-steps.ts';
import { until } from '../../support/until.ts';
import { tagImage } from './images/build.ts';
import { uids } from './support/instance.ts';
import { type Office, officeFor } from './support/office.ts';
import { openSessions } from './support/sessions.ts';

const OTHERS = ['docbuilder', 'editor', 'front'];

describe('on a cluster: upgrades', function () {
  this.timeout(240_000);
  let office: Office;

  before(async function () {
    office = await officeFor(this);
  });
  /** One, or while a rollout is under way several. */
  const images = async () => [...new Set((await office.pods('gate')).map(({ spec }) => spec.containers[0]?.image))];

  it('a chart with another gate replaces that pod only, and saved documents are still there', async () => {
    const sessions = await openSessions(office);
    const session = await sessions.create({ key: 'upgrade' });
    const client = await sessions.open(session);
    await client.addLine('vẫn còn');
    const version = await sessions.save(session, client);

    const before = await uids(office, ...OTHERS);
    const next = await tagImage(office.images.gate, 'next');
    await office.cluster.load(next);
    await office.release.upgrade('images.gate.tag=next');
    await until('the gate is the next one', async () => (await images()).join() === next, 90_000);
    await office.ready();
    expect((await office.instance()).status.images).to.include({ gate: next });
    expect(await uids(office, ...OTHERS)).to.deep.equal(before);

    // The socket has outlived it as well.
    await client.addLine('và viết tiếp');
    const again = await openSessions(office);
    expect(await again.save(session, client)).to.equal(version + 1);
    await client.leave();
    const { download_url } = await again.state(session);
    expect(readLines(await download(download_url))).to.include.members(['vẫn còn', 'và viết tiếp']);
  });

  it('helm rollback brings the former one back', async () => {
    await office.release.helm('rollback', 'svc');
    await until('the gate is the former one', async () => (await images()).join() === office.images.gate, 90_000);
    await office.ready();
  });
});
