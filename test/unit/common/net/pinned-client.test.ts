import { expect } from 'chai';
import { type Address, parseAddress } from '../../../../src/common/net/address.ts';
import { pinnedClient } from '../../../../src/common/net/exchange.ts';
import { useCanary } from '../../../support/canary.ts';

describe('a pinned client', () => {
  const canary = useCanary();

  async function request(host: string, address: string): Promise<number> {
    const url = new URL(`http://${host}:${canary.port}/`);
    const client = pinnedClient(
      { url, addresses: [parseAddress(address) as Address], listed: false },
      new AbortController().signal,
    );
    try {
      const { statusCode, body } = await client.request({ method: 'GET', path: '/' });
      await body.dump();
      return statusCode;
    } finally {
      await client.destroy();
    }
  }

  it('connects a name to the checked address without resolving it, and knows its peer in either spelling', async () => {
    expect(await request('no-such-name.invalid', '127.0.0.1')).to.equal(200);
    expect(await request('127.0.0.1', '::ffff:127.0.0.1')).to.equal(200);
    expect(await request('[::ffff:127.0.0.1]', '127.0.0.1')).to.equal(200);
  });

  it('sends nothing over a connection that ended up elsewhere', async () => {
    const before = canary.requests.length;
    const failure = await request('127.0.0.1', '127.0.0.2').catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'connected to an address that was not checked');
    expect(canary.requests).to.have.length(before);
  });
});
