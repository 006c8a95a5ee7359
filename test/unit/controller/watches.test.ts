import { expect } from 'chai';
import { Instances } from '../../../cmd/controller/reconcile/instances.ts';
import { OwnedObjects } from '../../../cmd/controller/reconcile/owned-objects.ts';
import { RepairLimiter } from '../../../cmd/controller/reconcile/queue.ts';
import { Watches } from '../../../cmd/controller/watches.ts';
import { testLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';
import { refuse, useStandIn } from './k8s/stand-in.ts';

const INSTANCES = '/apis/svc.internal/v1/namespaces/one/svcinstances';
const SECRETS = '/api/v1/namespaces/one/secrets';
const SERVICES = '/api/v1/namespaces/one/services';

describe('the watches', () => {
  const at = useStandIn();
  let instances: Instances;
  let watches: Watches;
  let queued: string[];
  let unchanged: string[];
  let generation = 0;

  beforeEach(async () => {
    instances = new Instances();
    queued = [];
    unchanged = [];
  });

  function start(...namespaces: string[]): Promise<string[]> {
    watches = new Watches({
      ...{ client: at.client, instances, namespaces, owned: new OwnedObjects(), clock: Date.now, log: testLogger() },
      repairs: new RepairLimiter(Date.now),
      queue: {
        add: (key) => void queued.push(key),
        addWithLowPriority: (key) => void unchanged.push(key),
        addAfter: (key, ms) => void (ms <= 0 && queued.push(key)),
      },
    });
    return watches.synced();
  }

  afterEach(() => watches.stop());

  /** A Service that an instance owns. */
  function service(name: string, instance: string): void {
    const owner = { apiVersion: 'svc.internal/v1', kind: 'SvcInstance', name: instance, uid: 'u', controller: true };
    const metadata = { name, namespace: 'one', ownerReferences: [owner] };
    at.server.put(SERVICES, name, { metadata });
  }

  function add(name: string, host = `${name}.example`): void {
    generation += 1;
    const metadata = { name, namespace: 'one', generation };
    at.server.put(INSTANCES, name, { metadata, spec: { host }, status: { observedGeneration: generation } });
  }
  const known = (key: string) => until(`${key} is known`, () => instances.has(key) || undefined);

  /** The namespace is gone, or not there yet: its roles are as well. */
  function forbid(namespace: string): void {
    at.server.fault = ({ url }, response) =>
      url?.includes(`/namespaces/${namespace}/`) && refuse(response, 403, 'Forbidden');
  }

  it('wait for no namespace that may not be read, and read it as soon as it may', async () => {
    forbid('one');
    expect(await start('one', 'two')).to.deep.equal(['one']);
    add('office');
    at.server.fault = undefined;
    await known('one/office');
    expect(queued).to.include('one/office');
  });

  it('wait as long as no namespace at all may be read', async () => {
    forbid('one');
    const read = start('one');
    await until('it is forbidden', () => watches.reflectors.every((reflector) => reflector.trouble()) || undefined);
    expect(await Promise.race([read, 'not yet'])).to.equal('not yet');
    at.server.fault = undefined;
    expect(await read).to.deep.equal([]);
  });

  /** Has the instances of a namespace listed again. @param meanwhile changes that no watch shows */
  async function listAgain(namespace: string, meanwhile = () => {}): Promise<void> {
    const path = INSTANCES.replace('/one/', `/${namespace}/`);
    const lists = () => at.server.requests.filter((request) => request.startsWith(`GET ${path}?limit=`)).length;
    await until('all watch', () => at.server.watches() === watches.reflectors.length || undefined);
    at.server.fault = ({ url = '' }, response) => {
      const expired = url.startsWith(path) && url.includes('watch=true') && lists() === 1;
      return expired && refuse(response, 410, 'Expired');
    };
    queued = [];
    unchanged = [];
    at.server.endWatches();
    meanwhile();
    await until('a second list', () => lists() > 1 || undefined);
  }

  it('have an instance that changes not wait for all others that a new list shows', async () => {
    await start('one');
    for (const name of ['a', 'b', 'c']) add(name);
    for (const name of ['a', 'b', 'c']) await known(`one/${name}`);
    await listAgain('one', () => add('b'));
    await until('the list is read', () => unchanged.length === 3 || undefined);
    expect(queued).to.deep.equal(['one/b']);
  });

  it('queue no instance of other namespaces when the list of one is read again', async () => {
    await start('one', 'two');
    add('office');
    await known('one/office');
    await listAgain('two');
    at.server.put(INSTANCES.replace('/one/', '/two/'), 'last', {
      metadata: { name: 'last', namespace: 'two' },
      spec: { host: 'last.example' },
    });
    await until('what comes after it', () => queued.includes('two/last') || undefined);
    expect([...queued, ...unchanged]).not.to.include('one/office');
  });

  it('queue an instance for another annotation, but not for a change of its status alone', async () => {
    await start('one');
    add('office');
    await known('one/office');
    queued = [];
    generation -= 1;
    add('office');
    add('other');
    await known('one/other');
    expect(queued).to.deep.equal(['one/other']);
    const metadata = { name: 'office', namespace: 'one', generation: generation - 1, annotations: { a: 'b' } };
    at.server.put(INSTANCES, 'office', { metadata, spec: { host: 'office.example' } });
    await until('it is queued', () => queued.includes('one/office') || undefined);
  });

  it('queue the instances that name a Secret when that comes or changes, those of its own namespace alone', async () => {
    await start('one', 'two');
    for (const namespace of ['one', 'two']) {
      const spec = { host: `${namespace}.example`, license: { secretName: 'svc-license' } };
      const path = INSTANCES.replace('/one/', `/${namespace}/`);
      at.server.put(path, 'office', { metadata: { name: 'office', namespace, generation: 1 }, spec });
      await known(`${namespace}/office`);
    }
    add('other');
    await known('one/other');
    queued = [];
    for (const name of ['unnamed', 'svc-license', 'svc-license']) at.server.put(SECRETS, name);
    await until('both changes', () => queued.length === 2 || undefined);
    expect(queued).to.deep.equal(['one/office', 'one/office']);
  });

  it('queue an instance for what happens to its objects and for its end, and then no more', async () => {
    expect(await start('one')).to.deep.equal([]);
    add('office');
    add('other');
    await known('one/office');
    await known('one/other');
    queued = [];
    service('office-gate', 'office');
    await until('it is queued', () => queued[0]);
    expect(queued).to.deep.equal(['one/office']);

    at.server.remove(INSTANCES, 'office');
    await until('it is forgotten', () => !instances.has('one/office') || undefined);
    expect(queued.splice(0)).to.deep.equal(['one/office', 'one/office']);
    at.server.remove(SERVICES, 'office-gate');
    // A later event on the same watch shows that this one has been seen.
    service('other-gate', 'other');
    await until('the other one is queued', () => queued.includes('one/other') || undefined);
    expect(queued).to.deep.equal(['one/other']);
  });

  it('queue whoever has the same host as an instance that comes, changes or goes', async () => {
    await start('one');
    for (const name of ['office', 'other']) {
      add(name);
      await known(`one/${name}`);
    }
    for (const happen of [
      () => add('new', 'office.example'),
      () => add('new', 'new.example'),
      () => add('new', 'office.example'),
      () => at.server.remove(INSTANCES, 'new'),
    ]) {
      queued = [];
      happen();
      await until('office is queued', () => queued.includes('one/office') || undefined);
      expect(queued).not.to.include('one/other');
    }
  });
});
