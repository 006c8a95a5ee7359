import { expect } from 'chai';
import { isPublic, parseAddress } from '../../../../src/common/net/address.ts';
import {
  format4,
  format6,
  inRange,
  rangeOf,
  SPECIAL_PURPOSE_V4,
  SPECIAL_PURPOSE_V6,
} from '../../../support/special-purpose.ts';

const RANGES_4 = SPECIAL_PURPOSE_V4.map(([network]) => rangeOf(network));
const RANGES_6 = SPECIAL_PURPOSE_V6.map(([network]) => rangeOf(network));
const GLOBAL_UNICAST = rangeOf('2000::/3');
const MAPPED = rangeOf('::ffff:0:0/96');

function isPublicText(text: string): boolean {
  const address = parseAddress(text);
  if (!address) throw new Error(`not an address: ${text}`);
  return isPublic(address);
}

const isPublic4 = (value: bigint): boolean => !RANGES_4.some((range) => inRange(value, range));
const isPublic6 = (value: bigint): boolean =>
  inRange(value, MAPPED)
    ? isPublic4(value & 0xffff_ffffn)
    : inRange(value, GLOBAL_UNICAST) && !RANGES_6.some((range) => inRange(value, range));

describe('which addresses are public', () => {
  it('ends where the blocks of IANA’s registries do, also mapped into IPv6', () => {
    for (const [network] of SPECIAL_PURPOSE_V4) {
      const { first, last } = rangeOf(network);
      for (const value of [first, (first + last) / 2n, last])
        expect(isPublicText(format4(value)), network).to.equal(false);
      for (const value of [first - 1n, first, last, last + 1n].filter((each) => each >= 0n && each < 2n ** 32n)) {
        for (const text of [format4(value), `::ffff:${format4(value)}`]) {
          expect(isPublicText(text), text).to.equal(isPublic4(value));
        }
      }
    }
    for (const network of [...SPECIAL_PURPOSE_V6.map(([block]) => block), '2000::/3', '::ffff:0:0/96']) {
      const { first, last } = rangeOf(network);
      const values = [first - 1n, first, (first + last) / 2n, last, last + 1n];
      for (const value of values.filter((each) => each >= 0n && each < 2n ** 128n)) {
        expect(isPublicText(format6(value)), format6(value)).to.equal(isPublic6(value));
      }
    }
  });

  it('is known for these, and no address is made of other texts', () => {
    const servers = ['8.8.8.8', '93.184.216.34', '168.63.129.17', '2606:4700::1111', '2a00:1450:4001::1'];
    const metadata = [
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '168.63.129.16',
      'fd00:ec2::254',
      'fd20:ce::254',
    ];
    const embedded = ['::a9fe:a9fe', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1'];
    const notUnicast = ['1::1', '4000::1', '8000::1', 'fec0::1'];
    expect([...servers, ...metadata, ...embedded, ...notUnicast].filter(isPublicText)).to.deep.equal(servers);
    const none = ['', 'localhost', '1.2.3', '010.0.0.1', '1.2.3.4/8', 'fe80::1%eth0', '[::1]', '1.2.3.4 '];
    expect(none.filter(parseAddress)).to.deep.equal([]);
  });
});
