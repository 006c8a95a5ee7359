import { expect } from 'chai';
import { UnreachableError } from '../../../../cmd/controller/k8s/api-error.ts';
import { createClient } from '../../../../cmd/controller/k8s/client.ts';
import { RESOURCES } from '../../../../cmd/controller/k8s/resources.ts';
import { TEST_TLS } from '../../../support/tls.ts';
import { failure } from './failure.ts';
import { type StandIn, startStandIn, TOKEN } from './stand-in.ts';

describe('k8s: client over TLS', () => {
  let secure: StandIn;
  const authority = { ca: TEST_TLS.cert, servername: 'secure.test', authorization: `Bearer ${TOKEN}` };
  const readyWith = async (credentials: object): Promise<void> => {
    const own = createClient({ ...secure.connection, credentials: async () => credentials });
    await own.ready().finally(() => own.close());
  };

  before(async () => {
    secure = await startStandIn(TEST_TLS);
  });

  after(() => secure.close());

  it('trusts the authority that it was given', async () => {
    await readyWith(authority);
  });

  it('watches over connections of their own where the server does not speak HTTP/2, which is found out once', async () => {
    const own = createClient({ ...secure.connection, credentials: async () => authority });
    const ended = new AbortController();
    const watching = { namespace: 'one', resourceVersion: '100', timeoutSeconds: 30, signal: ended.signal };
    const before = secure.connections();
    const opened = [1, 2, 3].map(() => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const events = own.watch(RESOURCES.configMap, { ...watching, onOpen: resolve });
      return { promise, ended: failure((async () => void (await events[Symbol.asyncIterator]().next()))()) };
    });
    await Promise.all(opened.map(({ promise }) => promise));
    expect(secure.watches()).to.equal(3);
    expect(secure.connections() - before).to.equal(4);
    ended.abort(new Error('enough'));
    expect((await Promise.all(opened.map((one) => one.ended))).map(({ message }) => message)).to.deep.equal(
      Array(3).fill('enough'),
    );
    own.close();
  });

  it('attack: trusts no other authority and no other name for a watch either', async () => {
    const { ca: _, ...system } = authority;
    const { servername: __, ...address } = authority;
    const { length } = secure.requests;
    for (const credentials of [system, address]) {
      const own = createClient({ ...secure.connection, credentials: async () => credentials });
      const watching = { resourceVersion: '1', timeoutSeconds: 30, signal: new AbortController().signal };
      const events = own.watch(RESOURCES.configMap, watching)[Symbol.asyncIterator]();
      expect(await failure(events.next().then(() => undefined))).to.be.instanceOf(UnreachableError);
      own.close();
    }
    expect(secure.requests).to.have.lengthOf(length);
  });

  it('attack: trusts no other authority and no other name, also where the environment says to', async () => {
    const { length } = secure.requests;
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const { ca: _, ...system } = authority;
      expect(await failure(readyWith(system))).to.be.instanceOf(UnreachableError);
      const { servername: __, ...address } = authority;
      expect(await failure(readyWith(address))).to.include({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    expect(secure.requests).to.have.lengthOf(length);
  });
});
