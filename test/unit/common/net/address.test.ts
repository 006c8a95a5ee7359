import { expect } from 'chai';
import fc from 'fast-check';
import { isPublic, parseAddress } from '../../../../src/common/net/address.ts';
import {
  format4,
  format6,
  inRange,
  type Range,
  rangeOf,
  SPECIAL_PURPOSE_V4,
  SPECIAL_PURPOSE_V6,
} from '../../../support/special-purpose.ts';

const RANGES_4 = SPECIAL_PURPOSE_V4.map(([network]) => rangeOf(network));
const RANGES_6 = SPECIAL_PURPOSE_V6.map(([network]) => rangeOf(network));
const GLOBAL_UNICAST = rangeOf('2000::/3');
const MAPPED = rangeOf('::ffff:0:0/96');

function publicText(text: string): boolean {
  const address = parseAddress(text);
  if (!address) throw new Error(`not an address: ${text}`);
  return isPublic(address);
}

const public4 = (value: bigint): boolean => !RANGES_4.some((range) => inRange(value, range));
const public6 = (value: bigint): boolean =>
  inRange(value, MAPPED)
    ? public4(value & 0xffff_ffffn)
    : inRange(value, GLOBAL_UNICAST) && !RANGES_6.some((range) => inRange(value, range));

/** Any address, with the edges of the ranges drawn far more often than chance would. */
function addresses(bits: number, ranges: readonly Range[]): fc.Arbitrary<bigint> {
  const max = (1n << BigInt(bits)) - 1n;
  const edges = ranges.flatMap(({ first, last }) => [first, last]);
  const near = fc
    .tuple(fc.constantFrom(...edges), fc.bigInt(-3n, 3n))
    .map(([edge, step]) => (edge + step < 0n ? 0n : edge + step > max ? max : edge + step));
  const inside = fc.constantFrom(...ranges).chain(({ first, last }) => fc.bigInt(first, last));
  return fc.oneof(fc.bigInt(0n, max), near, inside);
}

describe('which addresses are public', () => {
  it('agrees with the IANA registries about every IPv4 address tried', () => {
    fc.assert(
      fc.property(addresses(32, RANGES_4), (value) => publicText(format4(value)) === public4(value)),
      { numRuns: 5000 },
    );
  });

  it('agrees with the IANA registries about every IPv6 address tried', () => {
    const ranges = [...RANGES_6, GLOBAL_UNICAST, MAPPED];
    fc.assert(
      fc.property(addresses(128, ranges), (value) => publicText(format6(value)) === public6(value)),
      { numRuns: 5000 },
    );
  });

  it('judges an IPv4-mapped address as the IPv4 address it is', () => {
    fc.assert(
      fc.property(addresses(32, RANGES_4), (value) => publicText(`::ffff:${format4(value)}`) === public4(value)),
      { numRuns: 1000 },
    );
  });

  for (const address of ['8.8.8.8', '93.184.216.34', '168.63.129.17', '2606:4700::1111', '2a00:1450:4001::1']) {
    it(`takes ${address} for public`, () => expect(publicText(address)).to.equal(true));
  }

  for (const [network, name] of [...SPECIAL_PURPOSE_V4, ...SPECIAL_PURPOSE_V6]) {
    it(`refuses the first, the middle and the last of ${network} (${name})`, () => {
      const { first, last } = rangeOf(network);
      const format = network.includes(':') ? format6 : format4;
      for (const value of [first, (first + last) / 2n, last]) expect(publicText(format(value))).to.equal(false);
    });
  }

  for (const address of [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '1::1',
    '4000::1',
    '8000::1',
    'fec0::1',
  ]) {
    it(`refuses ${address}`, () => expect(publicText(address)).to.equal(false));
  }

  for (const text of ['', 'localhost', '1.2.3', '010.0.0.1', '1.2.3.4/8', 'fe80::1%eth0', '[::1]', '1.2.3.4 ']) {
    it(`does not take ${JSON.stringify(text)} for an address`, () => expect(parseAddress(text)).to.equal(undefined));
  }
});
