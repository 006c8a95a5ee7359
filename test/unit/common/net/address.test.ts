import { expect } from 'chai';
import { isPublic, parseAddress } from '../../../../src/common/net/address.ts';
import { PUBLIC_NEIGHBOURS, SPECIAL_PURPOSE } from '../../../support/special-purpose.ts';

function isPublicText(text: string): boolean {
  const address = parseAddress(text);
  if (!address) throw new Error(`not an address: ${text}`);
  return isPublic(address);
}

/** The addresses, and each of IPv4 mapped into IPv6 as well. */
const withMapped = (addresses: readonly string[]) =>
  addresses.flatMap((address) => (address.includes(':') ? [address] : [address, `::ffff:${address}`]));

/** Metadata services. */
const CLOUD = ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'];

describe('which addresses are public', () => {
  it('ends where the blocks of IANA’s registries do', () => {
    const blocked = withMapped(SPECIAL_PURPOSE.flat());
    expect(blocked.filter(isPublicText)).to.deep.equal([]);
    const neighbours = withMapped(PUBLIC_NEIGHBOURS);
    expect(neighbours.filter((address) => !isPublicText(address))).to.deep.equal([]);
  });

  it('is known for these, and no address is made of other texts', () => {
    const servers = ['8.8.8.8', '93.184.216.34', '168.63.129.17', '2606:4700::1111', '2a00:1450:4001::1'];
    const embedded = ['::a9fe:a9fe', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1'];
    const notUnicast = ['1::1', '1fff:ffff::', '4000::', '8000::1', 'fec0::1'];
    expect([...servers, ...CLOUD, ...embedded, ...notUnicast].filter(isPublicText)).to.deep.equal(servers);
    const none = ['', 'localhost', '1.2.3', '010.0.0.1', '1.2.3.4/8', 'fe80::1%eth0', '[::1]', '1.2.3.4 '];
    expect(none.filter(parseAddress)).to.deep.equal([]);
  });
});
