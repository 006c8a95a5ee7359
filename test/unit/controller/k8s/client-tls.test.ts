import { expect } from 'chai';
import { UnreachableError } from '../../../../cmd/controller/k8s/api-error.ts';
import { createClient } from '../../../../cmd/controller/k8s/client.ts';
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

  it('attack: trusts no other authority and no other name, also where the environment says to', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const { ca: _, ...system } = authority;
      expect(await failure(readyWith(system))).to.be.instanceOf(UnreachableError);
      const { servername: __, ...address } = authority;
      expect(await failure(readyWith(address))).to.include({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    expect(secure.requests).to.have.lengthOf(1);
  });
});
