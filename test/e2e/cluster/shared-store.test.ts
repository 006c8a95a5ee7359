import { expect } from 'chai';
import { form } from '../../support/service.ts';
import type { Pod } from './support/instance.ts';
import { officeFor } from './support/office.ts';
import { type SharedInstance, startSharedInstance } from './support/shared-instance.ts';

const letter = () => form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf' });

describe('on a cluster: an instance on PostgreSQL and S3', function () {
  this.timeout(300_000);
  let paper: SharedInstance;

  before(async function () {
    paper = await startSharedInstance(this, await officeFor(this), { name: 'paper', nodePort: 30081 });
  });
  after(() => paper?.stop());

  it('is Ready with two gates and one volume, and says that its store is', async () => {
    expect(await paper.pods('gate')).to.have.length(2);
    const { items } = await paper.get<{ items: Pod[] }>('persistentvolumeclaims');
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['paper-editor']);
    expect(await paper.condition('StorageReady')).to.include({ status: 'True', reason: 'Accepted' });
  });

  it('replaces its gates without a failed request, and without a lost version', async () => {
    const { sessions } = paper;
    const session = await sessions.create({ key: 'rollout' });
    const client = await sessions.open(session);
    await client.addLine('trước');
    const version = await sessions.save(session, client);
    const before = await paper.pods('gate');
    const end = paper.ask();
    await paper.kubectl('rollout', 'restart', 'deployment/paper-gate');
    await paper.kubectl('rollout', 'status', 'deployment/paper-gate', '--timeout=200s');
    await paper.ended(before);
    expect(await end()).to.deep.equal([]);
    await client.addLine('sau');
    expect(await sessions.save(session, client)).to.equal(version + 1);
    await client.leave();
  });

  it('replaces its DocBuilders while documents are converted, and none fails', async () => {
    expect(await paper.pods('docbuilder')).to.have.length(2);
    const before = await paper.pods('docbuilder');
    // The licence allows 120 a minute.
    const end = paper.ask({ path: '/v1/convert', pauseMs: 700, body: letter });
    await paper.kubectl('rollout', 'restart', 'deployment/paper-docbuilder');
    await paper.kubectl('rollout', 'status', 'deployment/paper-docbuilder', '--timeout=240s');
    await paper.ended(before);
    expect(await end()).to.deep.equal([]);
  });
});
