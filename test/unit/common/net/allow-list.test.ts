import { expect } from 'chai';
import { parseAddress } from '../../../../src/common/net/address.ts';
import { allowsAddress, allowsName, parseAllowList } from '../../../../src/common/net/allow-list.ts';

function parseList(text: string) {
  const { list, mistakes } = parseAllowList(text);
  expect(mistakes).to.deep.equal([]);
  return list;
}

function opens(text: string, address: string, port: number): boolean {
  const parsed = parseAddress(address);
  if (!parsed) throw new Error(`not an address: ${address}`);
  return allowsAddress(parseList(text), parsed, port);
}

describe('SVC_FETCH_ALLOW_HOSTS', () => {
  it('is empty when the text is, whatever its blanks and commas', () => {
    expect(parseList(' ,, ')).to.deep.equal([]);
  });

  const names: [list: string, name: string, port: number, allowed: boolean][] = [
    ['files.internal', 'files.internal', 80, true],
    ['files.internal', 'files.internal', 9000, true],
    [' Files.INTERNAL. , other', 'files.internal', 443, true],
    ['files.internal:9000', 'files.internal', 9000, true],
    ['files.internal:9000', 'files.internal', 9001, false],
    ['files.internal:9000,files.internal:9001', 'files.internal', 9001, true],
    ['files.internal', 'sub.files.internal', 80, false],
    ['files.internal', 'files.internal.evil.test', 80, false],
    ['files.internal', 'xfiles.internal', 80, false],
    ['my_service', 'my_service', 80, true],
    ['bücher.test', 'xn--bcher-kva.test', 80, true],
    ['10.0.0.0/8', '10.0.0.1', 80, false],
  ];
  for (const [list, name, port, allowed] of names) {
    it(`"${list}" ${allowed ? 'opens' : 'does not open'} the name ${name}:${port}`, () => {
      expect(allowsName(parseList(list), name, port)).to.equal(allowed);
    });
  }

  const addresses: [list: string, address: string, port: number, allowed: boolean][] = [
    ['10.0.0.5', '10.0.0.5', 80, true],
    ['10.0.0.5', '10.0.0.6', 80, false],
    ['10.0.0.5:8443', '10.0.0.5', 8443, true],
    ['10.0.0.5:8443', '10.0.0.5', 443, false],
    ['10.1.0.0/16', '10.1.255.255', 1, true],
    ['10.1.0.0/16', '10.2.0.0', 1, false],
    ['10.1.0.0/16:8080', '10.1.2.3', 8080, true],
    ['10.1.0.0/16:8080', '10.1.2.3', 8081, false],
    ['10.1.0.0/16', '::ffff:10.1.2.3', 80, true],
    ['::ffff:10.1.0.0/112', '10.1.2.3', 80, true],
    ['::ffff:10.1.2.3', '10.1.2.3', 80, true],
    ['::1', '::1', 80, true],
    ['[::1]', '::1', 80, true],
    ['[::1]:8080', '::1', 8080, true],
    ['[::1]:8080', '::1', 80, false],
    ['fd00::/8', 'fd12::1', 80, true],
    ['[fd00::/8]:443', 'fd12::1', 443, true],
    ['[fd00::]/8:443', 'fd12::1', 80, false],
    ['0.0.0.0/0', '::1', 80, false],
    ['::/0', '10.0.0.1', 80, false],
    ['169.254.0.0/16', '169.254.1.2', 80, true],
    ['169.254.0.0/16', '169.254.169.254', 80, false],
    ['0.0.0.0/0', '168.63.129.16', 80, false],
    ['fd00::/8', 'fd00:ec2::254', 80, false],
    ['169.254.169.254', '169.254.169.254', 80, true],
  ];
  for (const [list, address, port, allowed] of addresses) {
    it(`"${list}" ${allowed ? 'opens' : 'does not open'} the address ${address} port ${port}`, () => {
      expect(opens(list, address, port)).to.equal(allowed);
    });
  }

  const MISTAKES: Record<string, string[]> = {
    'a strange name': ['*.internal', 'a b', 'a..b', '.', '-a.test', 'a%2eb', `${'a'.repeat(64)}.test`],
    'more than a name': ['http://files.internal', 'files.internal/path', 'user@files.internal'],
    'a wrong port': ['files.internal:0', 'files.internal:65536', 'files.internal:http', 'files.internal:', ':8080'],
    'wrong brackets': ['[files.internal]:80', '[10.0.0.1]', '[::1', '[::1]x'],
    'an odd address': ['127.1', '0x7f000001', '2130706433', '256.1.1.1', 'fe80::1%eth0'],
    'a wrong prefix': ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', 'fd00::/129', '10.0.0.0/255.0.0.0'],
    'an address in a network': ['10.1.2.3/8', '::ffff:10.0.0.0/90', 'fd00::1/8'],
  };
  for (const [what, item] of Object.entries(MISTAKES).flatMap(([what, items]) => items.map((item) => [what, item]))) {
    it(`names ${item} as a mistake, ${what}, and keeps the rest`, () => {
      const { list, mistakes } = parseAllowList(`good.test,${item},10.0.0.1`);
      expect(mistakes).to.have.length(1);
      expect(mistakes[0]).to.match(/^\S.*: (is|has) /);
      expect(mistakes[0]?.startsWith(String(item))).to.equal(true);
      expect(list).to.have.length(2);
    });
  }

  it('says what to write instead of a CIDR with an address in it', () => {
    expect(parseAllowList('172.17.0.1/16').mistakes[0]).to.contain('write 172.17.0.0/16 or 172.17.0.1');
  });
});
