import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { uids } from './support/instance.ts';
import { type Office, officeFor } from './support/office.ts';
import { SYSTEM } from './support/release.ts';

const COMPONENTS = ['gate', 'docbuilder', 'editor', 'front'];

describe('on a cluster: survives a kill', function () {
  this.timeout(180_000);
  let office: Office;

  before(async function () {
    office = await officeFor(this);
  });
  afterEach(async () => {
    await office?.release.ready();
    // Also the Service that was deleted leads somewhere again.
    await office?.ready();
  });

  const system = (...parameters: string[]) => office.cluster.kubectl(['--namespace', SYSTEM, ...parameters]);
  const exists = (name: string, kind = 'service') =>
    office.kubectl('get', kind, name).then(
      () => true,
      () => undefined,
    );

  it('without any controller all runs on, and what has changed meanwhile is put right afterwards', async () => {
    const before = await uids(office, ...COMPONENTS);
    await system('scale', 'deployment/svc-controller', '--replicas=0');
    await until('none is left', async () => (await system('get', 'pods', '-o', 'name')) === '', 60_000);
    await office.kubectl('delete', 'poddisruptionbudget', 'office-front', '--ignore-not-found');
    // DocBuilder's Service has another address since the last test: names are kept for 30 s.
    for (const path of ['/v1/status', '/svc/status'])
      await until(`${path} answers`, async () => (await fetch(`${office.outside.url}${path}`)).ok, 60_000);
    await system('scale', 'deployment/svc-controller', '--replicas=2');
    await until('it is made again', () => exists('office-front', 'poddisruptionbudget'), 60_000);
    expect(await uids(office, ...COMPONENTS)).to.deep.equal(before);
  });
});
